import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { bounded } from '../../../../actors/network/whatsapp/session/bounded-stanza.ts';

const node = (tag: string, content?: readonly BinaryNode[], attrs: BinaryNode['attrs'] = {}): BinaryNode => ({
  ...{ tag, attrs },
  ...(content && { content: [...content] }),
});
const items = (count: number): BinaryNode[] => Array.from({ length: count }, (_, nth) => node('item', undefined, { id: String(nth) }));
const childrenOf = ({ content }: BinaryNode): readonly BinaryNode[] => (Array.isArray(content) ? content : []);

describe('an incoming stanza', () => {
  it('stays unchanged if its size is normal', () => {
    const text = node('message', [node('enc')]);
    assert.equal(bounded(text), text);
    const receipt = node('receipt', [node('list', items(300))]);
    assert.deepEqual(bounded(receipt), receipt);
  });

  it('is truncated to a limited number of children and list items', () => {
    assert.equal(childrenOf(bounded(node('message', items(5_000)))).length, 32);
    const receipt = bounded(node('receipt', [node('list', items(5_000))]));
    assert.deepEqual(
      childrenOf(receipt).map(({ content }) => content?.length),
      [2_048],
    );
  });

  it('contains each person only once per list, however long the list is', () => {
    const people = ['a@lid', 'b@lid', 'a@lid'].map((jid) => node('user', [node('devices'), node('devices')], { jid }));
    const answer = bounded(node('iq', [node('list', people)]));
    const [list] = childrenOf(answer);
    assert.deepEqual(list && childrenOf(list).map(({ attrs }) => attrs['jid']), ['a@lid', 'b@lid']);
    const groups = Array.from({ length: 5_000 }, (_, nth) => node('group', undefined, { id: String(nth) }));
    assert.equal(childrenOf(childrenOf(bounded(node('iq', [node('groups', groups)])))[0] ?? node('')).length, 5_000);
  });
});
