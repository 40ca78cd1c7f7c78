import { type BinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';

export function listFrame(groups: number, members: number): Buffer {
  const content = Array.from({ length: groups }, (_, nth) => group(nth, members));
  return encodeBinaryNode(answer([{ tag: 'groups', attrs: {}, content }]));
}

export const groupFrame = (members: number): Buffer => encodeBinaryNode(answer([group(0, members)]));

const answer = (content: BinaryNode[]): BinaryNode => ({ tag: 'iq', attrs: { id: '1', from: 'g.us', type: 'result' }, content });

const lidOf = (nth: number): string => `${100_000_000_000_000 + nth * 7_919}@lid`;
const numberOf = (nth: number): string => `${6_281_100_000_000 + nth * 104_729}@s.whatsapp.net`;

function group(nth: number, members: number): BinaryNode {
  const attrs = {
    ...{
      id: String(120_363_000_000_000_001n + BigInt(nth)),
      subject: `Customers of branch ${nth}`,
      s_t: '1767225600',
      creation: '1767225600',
    },
    ...{ creator: lidOf(nth), creator_pn: numberOf(nth), addressing_mode: 'lid', size: String(members), a_v_id: '1', p_v_id: '1' },
  };
  const body: BinaryNode = { tag: 'body', attrs: {}, content: Buffer.from(`Prices, stock and opening hours of branch ${nth}`) };
  const state: BinaryNode = { tag: 'group_join', attrs: { state: 'off' } };
  return {
    tag: 'group',
    attrs,
    content: [
      { tag: 'description', attrs: { id: `D${nth}`, t: '1767225600' }, content: [body] },
      { tag: 'member_add_mode', attrs: {}, content: Buffer.from('all_member_add') },
      { tag: 'membership_approval_mode', attrs: {}, content: [state] },
      ...Array.from({ length: members }, (_, at) => member(nth, at)),
    ],
  };
}

const member = (group: number, at: number): BinaryNode => ({
  tag: 'participant',
  attrs: { jid: lidOf(group * 997 + at), phone_number: numberOf(group * 997 + at), ...(at === 0 && { type: 'superadmin' }) },
});
