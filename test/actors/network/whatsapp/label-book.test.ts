import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readChannel } from '../../../../actors/network/whatsapp/channels/read-channel.ts';
import { afterMutation, EMPTY_BOOK, factsBetween, labelIn, listed } from '../../../../actors/network/whatsapp/questions/label-book.ts';

const shows = (jid: string) => ({ chat_id: jid, phone: null, lid: null });

it('a label whose id is the name of a built-in property is ignored', () => {
  for (const id of ['constructor', '__proto__', 'toString', '']) {
    const marked = afterMutation(EMPTY_BOOK, { index: ['label_jid', id, '1@lid'], value: { labelAssociationAction: { labeled: true } } });
    const named = afterMutation(marked, { index: ['label_edit', id], value: { labelEditAction: { name: 'x', color: 1 } } });
    assert.equal(named, EMPTY_BOOK);
    assert.equal(labelIn(EMPTY_BOOK, id), null);
  }
  const made = afterMutation(EMPTY_BOOK, { index: ['label_edit', '1'], value: { labelEditAction: { name: 'Paid', color: 1 } } });
  assert.deepEqual(listed(made, shows), [{ id: '1', name: 'Paid', color: 1, chats: [] }]);
  assert.equal(factsBetween(EMPTY_BOOK, made, shows).length, 1);
});

it('an unknown channel role is treated as no role', () => {
  const told = { id: '1@newsletter', viewer_metadata: { role: 'constructor' } };
  assert.equal(readChannel(told)?.role, null);
});
