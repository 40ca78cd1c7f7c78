import { decodeBinaryNode } from '@whiskeysockets/baileys';
import type { GroupRecord } from '../../../actors/network/groups.ts';
import { getGroup, listGroups } from '../../../actors/network/whatsapp/questions/groups.ts';
import { createAnswerKeeper } from '../../../actors/services/groups/group-answers.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { groupsIn } from '../../../store/groups/groups.ts';
import type { Collection, Doc, Store } from '../../../store/port.ts';
import { scratchDirectory } from '../scratch.ts';
import { costOf } from './measure.ts';
import { MEMBERS, sizeOf } from './size.ts';
import { groupFrame, listFrame } from './stanza.ts';

const { groups: count, members, runs, warmUp } = sizeOf(process.argv[2]);
const isFirst = process.argv[3] === 'first';
const counted = { writes: 0, questions: 0 };
const store = openEmbedded({ path: `${scratchDirectory()}/groups.db` });
const groups = groupsIn<GroupRecord>(counting(store));
await store.prepare();
const keepAnswer = createAnswerKeeper({ groups });

const frames = { list: listFrame(count, members), one: groupFrame(MEMBERS) };
let nth = 0;

const account = (isNew: boolean) => {
  nth += isNew ? 1 : 0;
  return { by: { owner: { tenantId: 't', sessionId: `s${nth}`, epoch: 1 }, phone: '6281100000001' }, askedAt: nth, now: nth };
};

const answering = (frame: Buffer) => ({
  socket: {
    async query() {
      counted.questions += 1;
      return decodeBinaryNode(frame);
    },
  },
});

const listed = await costOf(runs, warmUp, async () =>
  keepAnswer(account(isFirst), 'groups.list', {}, await listGroups(answering(frames.list))),
);
const before = { ...counted };
let reads = 0;
const input = { id: '120363000000000001@g.us' };
const read = await costOf(runs, warmUp, async () => {
  reads += 1;
  return keepAnswer(account(true), 'groups.get', input, await getGroup(answering(frames.one), input));
});
const writes = (counted.writes - before.writes) / reads;
const questions = (counted.questions - before.questions) / reads;
await store.close();
console.log(JSON.stringify({ listMs: listed.cpuMs, heldMs: listed.heldMs, groupMs: read.cpuMs, questions, writes }));

function counting(inner: Store): Store {
  const WRITES = new Set<unknown>(['insertOne', 'insertMany', 'updateOne', 'deleteOne']);
  const noted = (done: unknown): unknown => {
    counted.writes += memberOf(done, 'matchedCount') === 0 || memberOf(done, 'deletedCount') === 0 ? 0 : 1;
    return done;
  };
  const watched = <T extends Doc>(real: Collection<T>): Collection<T> =>
    new Proxy(real, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const call = value.bind(target);
        return WRITES.has(name) ? async (...order: unknown[]) => noted(await call(...order)) : call;
      },
    });
  return {
    ...{ name: inner.name, prepare: () => inner.prepare(), ping: () => inner.ping(), sweep: (now) => inner.sweep(now) },
    ...{ close: () => inner.close(), collection: (spec) => watched(inner.collection(spec)) },
  };
}
