import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import type { Bridge, Work } from './context.ts';
import { isPersonal } from './inbound.ts';

/**
 * Turns the gateway's events into stored jobs. The jobs of a page and the position after it are
 * stored in one transaction, so a kill does not lose events. An event that arrives twice creates
 * only one job. After a gap, messages since the last pull are read from the log.
 */

const EVENTS = [
  ...['message.received', 'message.sent', 'message.failed', 'message.delivered', 'message.read'],
  ...['message.edited', 'message.deleted', 'message.reaction', 'contact.merged', 'label.assigned', 'label.unassigned', 'privacy.erased'],
];
const PAGE = 200;
const HOUR_MS = 3_600_000;
const MAX_MISSED = 50_000;

type Event = Schemas['Event'];

interface Planned {
  readonly name: string;
  readonly lane: string;
  readonly work: Work;
}

export class Puller {
  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  async #page(after: string | null): Promise<Schemas['PullEventsResponse']> {
    const { gateway, settings } = this.#bridge;
    const query = { limit: PAGE, events: EVENTS.join(','), reader: `chatwoot-${settings.inbox}`, ...(after !== null && { after }) };
    return gateway.call('pullEvents', { query });
  }

  async begin(): Promise<void> {
    const { state, clock } = this.#bridge;
    if (state.setting('pulled') !== null) return;
    let after: string | null = null;
    for (;;) {
      const { events, next }: Schemas['PullEventsResponse'] = await this.#page(after);
      after = next;
      if (events.length === 0) break;
    }
    state.transaction(() => {
      if (after !== null) state.set('after', after);
      state.set('pulled', String(clock.now()));
    });
  }

  /** Returns true if more events may follow. */
  async pull(): Promise<boolean> {
    const { state, clock } = this.#bridge;
    const begun = clock.now();
    const { events, next, gap } = await this.#page(state.setting('after'));
    const missed = gap ? await this.#missed() : [];
    state.transaction(() => {
      const add = (planned: Planned): void =>
        state.add({ ...planned, body: JSON.stringify(planned.work), once: planned.work.kind !== 'forget' }, begun);
      missed.forEach(add);
      // Jobs are added one by one, because a merge moves the jobs that were added before it.
      for (const event of events) this.#plan(event).forEach(add);
      if (next !== null) state.set('after', next);
      state.set('pulled', String(begun));
    });
    return events.length > 0;
  }

  #plan(event: Event): readonly Planned[] {
    const { settings, state } = this.#bridge;
    const { id, type, data } = event;
    if (type === 'privacy.erased') return [{ name: 'forget', lane: 'forget', work: { kind: 'forget' } }];
    if (type === 'contact.merged') this.#merge(data);
    if (event.session_id !== settings.session) return [];
    const chat = String(memberOf(memberOf(data, 'chat') ?? data, 'chat_id'));
    if (!isPersonal(chat)) return [];
    // A key for one device does not receive `contact.merged`, so the hidden address reveals a merge.
    const hidden = memberOf(memberOf(data, 'chat') ?? data, 'lid');
    if (typeof hidden === 'string' && hidden !== chat && state.isApart(hidden)) state.merge(hidden, chat);
    const work = workOf(event);
    if (!work) return [];
    const lane = state.person(chat)?.chat ?? chat;
    const isMessage = work.kind === 'received' || work.kind === 'sent';
    return [{ name: isMessage ? `${work.kind}:${work.message}` : id, lane, work }];
  }

  #merge(data: unknown): void {
    const chats = memberOf(data, 'chat_ids');
    const [into, ...former] = Array.isArray(chats) ? chats.map(String) : [];
    for (const from of former) if (into !== undefined) this.#bridge.state.merge(from, into);
  }

  async #missed(): Promise<readonly Planned[]> {
    const { gateway, settings, state, say } = this.#bridge;
    say('The bridge was offline for longer than the gateway keeps events. Reading the messages since then.');
    const since = Number(state.setting('pulled')) - HOUR_MS;
    const found: Planned[] = [];
    for await (const { id, direction, chat_id: lane, status } of gateway.pages('listMessages', {
      params: { sessionId: settings.session },
      query: { since, limit: PAGE },
    })) {
      if (!isPersonal(lane)) continue;
      if (found.length >= MAX_MISSED) break;
      if (direction === 'inbound') found.push({ name: `received:${id}`, lane, work: { kind: 'received', message: id } });
      else if (status === 'sent' || status === 'delivered' || status === 'read' || status === 'failed') {
        found.push({ name: `missed:${id}:${status}`, lane, work: { kind: 'status', message: id, status } });
        if (status !== 'failed') found.push({ name: `sent:${id}`, lane, work: { kind: 'sent', message: id } });
      }
    }
    return found.toReversed();
  }
}

function workOf({ id, type, data }: Event): Work | null {
  const message = String(memberOf(data, 'message_id'));
  switch (type) {
    case 'message.received':
      return { kind: 'received', message };
    case 'message.sent':
      return { kind: 'sent', message };
    case 'message.deleted':
      return { kind: 'deleted', message };
    case 'message.edited':
      return { kind: 'edited', message, event: id };
    case 'message.delivered':
      return { kind: 'status', message, status: 'delivered' };
    case 'message.read':
      return { kind: 'status', message, status: 'read' };
    case 'message.failed':
      return { kind: 'status', message, status: 'failed' };
    case 'message.reaction':
      return { kind: 'reaction', message, target: String(memberOf(memberOf(data, 'target'), 'message_id')) };
    case 'label.assigned':
    case 'label.unassigned':
      return {
        kind: 'label',
        chat: String(memberOf(memberOf(data, 'chat'), 'chat_id')),
        label: String(memberOf(data, 'label_id')),
        isOn: type === 'label.assigned',
      };
    default:
      return null;
  }
}
