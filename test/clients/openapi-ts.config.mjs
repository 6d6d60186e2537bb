/** Modules are imported with the ending that Node needs. */
export default {
  input: './openapi.json',
  output: { path: './hey-api', module: { extension: '.js' }, tsConfigPath: './tsconfig.json' },
  plugins: ['@hey-api/client-fetch'],
};
