import { decodeBinaryNode } from '@whiskeysockets/baileys';
import { extractGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js';
import { children } from '../../../actors/network/whatsapp/questions/query.ts';
import { costOf } from './measure.ts';
import { MEMBERS, sizeOf } from './size.ts';
import { groupFrame, listFrame } from './stanza.ts';

/** Does what the library's `groupFetchAllParticipating` and `groupMetadata` do, and stores nothing. */
const { groups, members, runs, warmUp } = sizeOf(process.argv[2]);
const list = listFrame(groups, members);
const one = groupFrame(MEMBERS);

const listed = await costOf(runs, warmUp, async () => {
  const answer = await decodeBinaryNode(list);
  const data: Record<string, unknown> = {};
  for (const group of children(children(answer)[0], 'group')) {
    const meta = extractGroupMetadata({ tag: 'result', attrs: {}, content: [group] });
    data[meta.id] = meta;
  }
  return data;
});
const read = await costOf(runs, warmUp, async () => extractGroupMetadata(await decodeBinaryNode(one)));

console.log(JSON.stringify({ listMs: listed.cpuMs, heldMs: listed.heldMs, groupMs: read.cpuMs, questions: 1 }));
