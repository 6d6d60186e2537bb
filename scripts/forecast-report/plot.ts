/** A plot of forecasts and of what came, as SVG. */
import type { Forecast } from './scores.ts';

interface Panel {
  readonly name: string;
  readonly forecasts: readonly Forecast[];
}

const WIDTH = 760;
const HEIGHT = 170;
const LEFT = 60;
const RIGHT = 10;
const TOP = 30;
const BOTTOM = 10;

function panel({ name, forecasts }: Panel, index: number): string {
  const max = Math.max(...forecasts.flatMap(({ actual, quantiles }) => [actual, ...quantiles]));
  const x = (position: number): string =>
    (LEFT + (position * (WIDTH - LEFT - RIGHT)) / (forecasts.length - 1)).toFixed(1);
  const y = (value: number): string => (HEIGHT - BOTTOM - (value * (HEIGHT - TOP - BOTTOM)) / max).toFixed(1);
  const line = (share: number): string[] =>
    forecasts.map(({ quantiles }, position) => `${x(position)},${y(quantiles[share] ?? 0)}`);
  const dots = forecasts.map(({ actual, quantiles: [low = 0, , high = 0] }, position) => {
    const color = actual >= low && actual <= high ? '#222' : '#c0392b';
    return `<circle cx="${x(position)}" cy="${y(actual)}" r="2.5" fill="${color}"/>`;
  });
  const label = (value: number): string =>
    `<text x="${LEFT - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${Math.round(value)}</text>`;
  return [
    `<g transform="translate(0 ${index * HEIGHT})">`,
    `<text x="${LEFT}" y="16" font-weight="bold">${name}: units of seven days</text>`,
    ...[0, max / 2, max].map(label),
    `<polygon points="${[...line(0), ...line(2).reverse()].join(' ')}" fill="#bcd6ee"/>`,
    `<polyline points="${line(1).join(' ')}" fill="none" stroke="#1f5f99" stroke-width="1.5"/>`,
    ...dots,
    '</g>',
  ].join('\n');
}

/** One panel below the other: the band from p10 to p90, p50 as a line, what came as dots, red outside of the band. */
export const plot = (panels: readonly Panel[]): string =>
  `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${panels.length * HEIGHT}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...panels.map(panel),
    '</svg>',
  ].join('\n')}\n`;
