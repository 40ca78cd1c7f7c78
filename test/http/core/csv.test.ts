import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Cell } from '../../../actors/domain/csv.ts';
import { csv } from '../../../http/core/csv.ts';

const written = (columns: string[], rows: readonly (readonly Cell[])[]): Promise<string> =>
  text(csv('x.csv', columns, rows).body as Readable);

describe('a CSV list', () => {
  it('quotes special characters, and writes null as an empty cell', async () => {
    const out = await written(['a', 'b', 'c'], [['x,"y"\nz', null, 7]]);
    assert.deepEqual(parse(out), [
      ['a', 'b', 'c'],
      ['x,"y"\nz', '', '7'],
    ]);
  });

  it('cannot make a spreadsheet run its cells as formulas', async () => {
    const dangerous = [
      '=1+1',
      '+62811',
      '-2',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '＝1',
      '\t1',
      '  =1',
      '\u00a0=1',
      '\u200b@x',
      ';=1',
      ',-1',
      '"=1',
      '＋1',
    ];
    const out: string[][] = parse(
      await written(
        ['a'],
        dangerous.map((cell) => [cell]),
      ),
    );
    for (const [nth, [cell]] of out.slice(1).entries()) assert.equal(cell, `'${dangerous[nth]}`);
  });

  it('quotes every cell, so that no content can escape from it', async () => {
    assert.equal(
      await written(
        ['a', 'b'],
        [
          ['x', null],
          [7, 'a;=1'],
        ],
      ),
      '"a","b"\n"x",""\n"7","a;=1"\n',
    );
  });

  it('is complete, however long it is', async () => {
    const rows = Array.from({ length: 1_234 }, (_, nth) => [nth]);
    const out: string[][] = parse(await written(['n'], rows));
    assert.deepEqual(out.slice(1).map(Number), rows.flat());
  });
});
