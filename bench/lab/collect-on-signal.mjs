// Preloaded into a service whose memory is measured: SIGUSR2 collects all garbage. Needs `--expose-gc`.
process.on('SIGUSR2', () => globalThis.gc());
