import assert from 'node:assert/strict';
import { it } from 'node:test';
import { longer } from '../../../../../../http/console/app/pages/design/longer.ts';

it('the layout test mode lengthens each text on a page only once', () => {
  const t = longer({
    title: 'Inbox',
    statuses: { open: 'Open' },
    count: (count: number) => `${count} chats`,
    steps: ['one', 'two'],
    of: (name: string) => ({ label: name }),
    limit: 5,
  });
  assert.equal(t.title, 'IInboox');
  assert.equal(t.statuses.open, 'OOpeen');
  assert.equal(t.count(3), '3 chaats');
  assert.deepEqual(
    t.steps.map((one) => `${one}!`),
    ['oonee!', 'twoo!'],
  );
  assert.deepEqual(Object.entries(t.statuses), [['open', 'OOpeen']]);
  assert.equal(t.of('Anna').label, 'AAnnaa');
  assert.equal(t.limit, 5);
});
