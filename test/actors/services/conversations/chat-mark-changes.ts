import { MUTED_FOR_EVER } from '../../../../actors/network/chat-marks.ts';
import type { MarkAct } from '../../../../actors/network/sandbox/marked-chats.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

interface Plan {
  readonly seed: number;
  readonly changes: number;
  readonly kills: number;
}

const PEOPLE = [ANNA, '6281211110002', '6281211110003'];
const MARKS = ['archived', 'pinned', 'muted', 'unread'] as const;
type Mark = (typeof MARKS)[number];
type Shown = Readonly<Record<Mark, boolean>>;

const ACTS: Readonly<Record<Mark, (on: boolean) => Omit<MarkAct, 'chat'>>> = {
  archived: (on) => ({ act: 'archive', on }),
  pinned: (on) => ({ act: 'pin', on }),
  muted: (on) => ({ act: 'mute', on }),
  unread: (on) => ({ act: on ? 'mark_unread' : 'mark_read' }),
};

/**
 * The API and a hand on the phone change the marks of three chats at random, while the device goes offline, comes back, and its process dies, also in the
 * middle of a change. Gives what both sides show in the end, and marks that are not as their last change said.
 */
export async function playChanges(scope: Scope, kind: StoreKind, { seed, changes, kills }: Plan) {
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  let gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const { path } = await acme.linked(PHONE);
  const api = (...call: Parameters<Gateway['api']>) => gateway.as(acme.tokens.token)(...call);
  const chat = async (who: string) => (await api('GET', `${path}/chats/${who}`)).body;
  for (const who of PEOPLE) {
    gateway.sandbox.phone(who).write({ to: PHONE, content: { type: 'text', body: 'Hello' } });
    await gateway.until('the chat is there', async () => (await chat(who)).last_message === 'Hello');
  }
  const here = async (who: string): Promise<Shown> => {
    const { archived, pinned, muted_until, unread } = await chat(who);
    return { archived, pinned, muted: muted_until !== null, unread };
  };
  const onPhone = (who: string): Shown => {
    const { archived, pinned, muted, unread } = gateway.sandbox.device(PHONE).marks();
    return { archived: archived.includes(who), pinned: pinned.includes(who), muted: who in muted, unread: unread.includes(who) };
  };
  /** By chat and mark, what its last change made of it; null: nobody knows. */
  const last = new Map<string, boolean | null>();
  const noted = (who: string, mark: Mark, on: boolean | null): void => {
    last.set(`${who} ${mark}`, on);
    // An archived chat is pinned no more.
    if (mark === 'archived') last.set(`${who} pinned`, null);
  };
  const bodyOf = (mark: Mark, on: boolean) => (mark === 'muted' ? { muted_until: on ? MUTED_FOR_EVER : null } : { [mark]: on });
  async function disturb(): Promise<void> {
    if (below(12) === 0) await api('POST', `${path}/${below(2) === 0 ? 'disconnect' : 'connect'}`);
    if (below(15) === 0) gateway.sandbox.device(PHONE).fault({ kind: 'drop' });
  }
  const killsAt = new Set(Array.from({ length: kills }, () => below(changes)));
  for (let change = 0; change < changes; change += 1) {
    const who = PEOPLE[below(PEOPLE.length)] ?? ANNA;
    const mark = MARKS[below(MARKS.length)] ?? 'pinned';
    await disturb();
    if (below(2) === 0) {
      const on = !onPhone(who)[mark];
      gateway.sandbox.phone(PHONE).act({ chat: who, ...ACTS[mark](on) });
      noted(who, mark, on);
    } else {
      const on = !(await here(who))[mark];
      const patched = api('PATCH', `${path}/chats/${who}`, bodyOf(mark, on)).catch(() => null);
      if (killsAt.has(change)) {
        await gateway.clock.advance(below(8));
        gateway = await gateway.crash();
        noted(who, mark, null);
      } else noted(who, mark, (await gateway.during(patched))?.status === 200 ? on : null);
    }
    await gateway.clock.advance(1 + below(400));
  }
  await api('POST', `${path}/connect`);
  await gateway.until('the device is online', async () => (await api('GET', path)).body.status === 'connected');
  await gateway.clock.advance(60_000);
  const all = await Promise.all(PEOPLE.map(here));
  const phone = PEOPLE.map(onPhone);
  return { here: all, phone, unlike: [...last].filter(([key, on]) => on !== null && shownOf(phone, key) !== on) };
}

function shownOf(phone: readonly Shown[], key: string): boolean | undefined {
  const [who = '', mark = ''] = key.split(' ');
  return Object.entries(phone[PEOPLE.indexOf(who)] ?? {}).find(([name]) => name === mark)?.[1];
}
