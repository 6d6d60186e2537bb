/** The section of docs/forecasting.md that judges the forecasts. */
import { table } from '../gen/markdown.ts';
import { type Forecast, forecastsOf, HORIZONS, type Score, type Series, scoreOf } from './scores.ts';

const COVERAGE = { least: 0.75, most: 0.9 } as const;
const [BEGIN, END] = [
  '<!-- Written by "npm run report:forecasts"; do not edit. -->',
  '<!-- End of what is written. -->',
];

/** Forecasts of one series, or of several together. */
export interface Judged {
  readonly name: string;
  readonly series: readonly Series[];
}

/** Without a sign for a zero. */
const percent = (share: number): string => (Math.round(1000 * share) / 10 + 0).toFixed(1);
export const isCovered = ({ coverage }: Score): boolean =>
  coverage >= COVERAGE.least && coverage <= COVERAGE.most;
export const isNoWorse = ({ pinball, naivePinball }: Score): boolean => pinball <= naivePinball;

const forecasts = ({ series }: Judged, horizon: number): Forecast[] =>
  series.flatMap((one) => forecastsOf(one, horizon));

/** The rows of a series: one for each horizon. */
const rowsOf = (judged: Judged): string[][] =>
  HORIZONS.map((horizon) => {
    const score = scoreOf(forecasts(judged, horizon));
    const { coverage, pinball, naivePinball, wape, bias } = score;
    const figures = [coverage, pinball, naivePinball, wape, bias].map(percent);
    return [judged.name, String(horizon), String(score.forecasts), ...figures];
  });

const HEAD = [
  ...['series', 'days', 'forecasts', 'within p10 to p90 %'],
  ...['pinball %', 'pinball naive %', 'wape %', 'bias %'],
];
export const tableOf = (all: readonly Judged[]): string => table(HEAD, all.flatMap(rowsOf));

/** How many of the series keep each aim at each horizon. */
export function verdicts(all: readonly Series[]): string {
  const rows = HORIZONS.map((horizon) => {
    const scores = all.map((one) => scoreOf(forecastsOf(one, horizon)));
    const share = (keeps: (score: Score) => boolean): string =>
      `${scores.filter(keeps).length} of ${all.length}`;
    return [String(horizon), share(isCovered), share(isNoWorse)];
  });
  return table(['days', '75 to 90 % within p10 to p90', 'pinball not above naive'], rows);
}

/** Puts the section in the place of the one before. */
export function withSection(page: string, section: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the page needs ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${section}\n\n${END}${after}`;
}
