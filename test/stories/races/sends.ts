import assert from 'node:assert/strict';
import { ANNA } from '../../support/gateway.ts';
import { AT_ONCE, countsOf, idOf, owned, QUEUE_LIMIT, type Race, type World } from './race.ts';

const text = { chat_id: ANNA, type: 'text', body: 'hello' };
const offer = { name: 'Offer', targets: [ANNA], message: 'Today', schedule_type: 'daily' };
const soon = ({ cluster }: World): number => cluster.clock.now() + 86_400_000;

/** Scheduled and recurring messages, the queue, chats. */
export const SENDS: readonly Race[] = [
  {
    name: 'create only one scheduled message if the device may have one more',
    async ready(world) {
      const { device, fill } = world;
      await fill('scheduled', 9_999, (nth) => ({ ...scheduledRow(world, device), created_at: nth, place: nth }));
      const scheduled_at = soon(world);
      return (call) => call('POST', `${device}/scheduled`, { ...text, scheduled_at });
    },
    answers: { 201: 1, 503: 5 },
  },
  {
    name: 'cancel a scheduled message only once',
    async ready(world) {
      const { id } = (await world.api('POST', `${world.device}/scheduled`, { ...text, scheduled_at: soon(world) })).body;
      return (call) =>
        call('DELETE', `${world.device}/scheduled/${id}`).then((answer) => ({
          ...answer,
          status: answer.status === 404 ? 409 : answer.status,
        }));
    },
    answers: { 200: 1, 409: 5 },
  },
  {
    name: 'create only one recurring message if the device may have one more',
    async ready(world) {
      const { device, fill } = world;
      await fill('recurring', 999, (nth) => ({
        session_id: idOf(device),
        ...owned(world),
        created_at: nth,
        due_at: null,
        rev: 0,
        place: nth,
      }));
      return (call) => call('POST', `${device}/recurring`, offer);
    },
    answers: { 201: 1, 503: 5 },
  },
  {
    name: 'create only one rotator if 999 of 1,000 exist',
    async ready(world) {
      const session_ids = [idOf(world.device), (await world.api('POST', '/v1/sessions', {})).body.id];
      const row = { name: 'R', session_ids, strategy: 'random', last: null, used: {}, rev: 0 };
      await world.fill('rotators', 999, (place) => ({ ...owned(world), ...row, place }));
      return (call, nth) => call('POST', '/v1/rotators', { name: `N${nth}`, session_ids });
    },
    answers: { 201: 1, 402: 5 },
  },
  {
    name: 'run a recurring message only once',
    async ready({ api, device }) {
      const { id } = (await api('POST', `${device}/recurring`, { ...offer, is_active: false })).body;
      return (call) => call('POST', `${device}/recurring/${id}/run`);
    },
    answers: { 202: 1, 409: 5 },
  },
  {
    name: 'queue messages only up to the limit of the queue',
    async ready(world) {
      const { api, device } = world;
      for (let nth = 0; nth < QUEUE_LIMIT - 3; nth += 1) await api('POST', `${device}/messages`, { ...text, connect_only: false });
      return (call) => call('POST', `${device}/messages`, { ...text, connect_only: false });
    },
    // An eighth of the limit more than it has, for the second node.
    answers: null,
    async after({ api, device }, answers) {
      const { depth } = (await api('GET', `${device}/queue`)).body;
      const { 202: accepted = 0, 503: refused = 0 } = countsOf(answers);
      assert.deepEqual([accepted + refused, depth], [AT_ONCE, QUEUE_LIMIT - 3 + accepted]);
      assert.ok(accepted >= 1 && depth <= QUEUE_LIMIT + Math.floor(QUEUE_LIMIT / 8), `${depth} wait`);
    },
  },
  {
    name: 'add every note to one chat',
    async ready({ api, device, cluster, goOnline }) {
      await goOnline();
      await api('POST', `${device}/messages`, text);
      await cluster.waited('the chat', async () => (await api('GET', `${device}/chats`)).body.chats.length === 1);
      const path = `${device}/chats/${ANNA}@s.whatsapp.net/notes`;
      return (call, nth) => call('POST', path, { text: `note ${nth}` });
    },
    answers: { 201: 6 },
    async after({ api, device }) {
      const { notes } = (await api('GET', `${device}/chats/${ANNA}@s.whatsapp.net`)).body;
      assert.equal(new Set(notes).size, AT_ONCE);
    },
  },
];

const scheduledRow = (world: World, device: string) => ({
  ...owned(world),
  session_id: idOf(device),
  chat_id: ANNA,
  to: `${ANNA}@s.whatsapp.net`,
  message_type: 'text',
  body: 'x',
  parts: {},
  media_r2_key: null,
  quotes: null,
  priority: 0,
  asked: {},
  scheduled_at: soon(world),
  status: 'pending',
  message_id: null,
  error: null,
  due_at: soon(world),
});
