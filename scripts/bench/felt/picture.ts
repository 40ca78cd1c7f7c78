import { chromium } from 'playwright-core';
import type { Table } from '../rounds.ts';

/** Draws the times of a table as bars, one group for each metric in ms and one bar for each row, and writes a PNG. */
export async function drawTimes({ rows, metrics, title }: Table, path: string): Promise<void> {
  const groups = metrics
    .filter((metric) => metric.title.endsWith(' ms'))
    .map((metric) => ({ name: metric.title, values: rows.map((row) => row.figures.get(metric.key)?.median ?? 0) }));
  const longest = Math.max(...groups.flatMap(({ values }) => values));
  const bar = (value: number, nth: number): string =>
    `<div class="bar"><span>${rows[nth]?.variant}</span><i style="width:${(400 * value) / longest}px"></i>${Math.round(value)} ms</div>`;
  const group = ({ name, values }: (typeof groups)[number]): string => `<h2>${name.replace(/ ms$/, '')}</h2>${values.map(bar).join('')}`;
  const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 720, height: 200 }, deviceScaleFactor: 1.5 });
    await page.setContent(`<style>${STYLE}</style><h1>${title}</h1>${groups.map(group).join('')}`);
    await page.screenshot({ path, fullPage: true });
  } finally {
    await browser.close();
  }
}

const STYLE = `
body { font: 14px/1.4 sans-serif; margin: 24px; color: #1f2933; background: #fff }
h1 { font-size: 16px; margin: 0 0 8px }
h2 { font-size: 14px; margin: 14px 0 4px }
.bar { display: flex; align-items: center; gap: 8px; margin: 2px 0 }
.bar span { width: 48px; text-align: right; color: #52606d }
.bar i { height: 14px; background: #0b7a6b; border-radius: 2px; min-width: 1px }`;
