/**
 * Judges the forecasts: `npm run report:forecasts -- FOLDER`. Writes the figures into docs/forecasting.md, and the
 * plot beside it. The folder has the public series; without it the script says where they come from.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Judged, tableOf, verdicts, withSection } from './forecast-report/page.ts';
import { plot } from './forecast-report/plot.ts';
import { forecastsOf, type Series } from './forecast-report/scores.ts';
import { FILES, madeSeries, publicSeries } from './forecast-report/series.ts';

const PAGE = new URL('../docs/forecasting.md', import.meta.url);
const PLOT = new URL('../docs/forecasting.svg', import.meta.url);
const PRODUCTS_SHOWN = 5;
const PRODUCTS_TOGETHER = 100;
const PLOT_DAYS = 7;
const NO_FOLDER = 2;

const alone = (series: Series): Judged => ({ name: series.name, series: [series] });

function report(folder: string): void {
  const [products = [], bicycles = []] = publicSeries(folder);
  const shown = [...products.slice(0, PRODUCTS_SHOWN), ...bicycles];
  const together = products.slice(0, PRODUCTS_TOGETHER);
  const section = [
    '**Public series**',
    tableOf([
      ...shown.map(alone),
      { name: `Online Retail, ${PRODUCTS_TOGETHER} products`, series: together },
    ]),
    'How many of these seven series keep the aims:',
    verdicts(shown),
    `And of the ${PRODUCTS_TOGETHER} products:`,
    verdicts(together),
    '**Made series**, not real ones',
    tableOf(madeSeries().map(alone)),
  ].join('\n\n');
  writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), section));
  const panels = [...products.slice(0, 2), ...bicycles.slice(0, 1)];
  writeFileSync(
    PLOT,
    plot(panels.map((one) => ({ name: one.name, forecasts: forecastsOf(one, PLOT_DAYS) }))),
  );
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  const files = FILES.map(({ file, from }) => `  ${file}  of ${from}`);
  console.error(['Usage: npm run report:forecasts -- FOLDER', 'with the files', ...files].join('\n'));
  process.exitCode = NO_FOLDER;
} else report(folder);
