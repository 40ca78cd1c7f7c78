import assert from 'node:assert/strict';
import { it } from 'node:test';
import { localText } from '../../../../../http/console/app/ui/moment.ts';

it('a date field keeps its minutes while a year is typed, even in years with unusual UTC offsets', (t) => {
  const before = process.env['TZ'];
  t.after(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
  process.env['TZ'] = 'Asia/Jakarta';
  assert.equal(new Date(0).getHours(), 7, 'the zone holds');
  for (const year of ['0002', '0020', '0202', '2027']) {
    const typed = `${year}-01-05T21:30`;
    assert.equal(localText(new Date(typed).getTime()), typed);
  }
});
