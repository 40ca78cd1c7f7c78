import type { EventRow } from '../../../store/events/events.ts';
import { linksPhone, STREAMED } from '../events/types.ts';
import { type StreamEvent, whoseOf } from './stream-event.ts';

/** Who may open a stream: the caller that asked for its ticket. */
export interface TicketHolder {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  /** The login; null: an API key. */
  readonly family: string | null;
  readonly keyId: string | null;
  /** SHA-256 of the key's secret, hex: a key that was rotated since is another one. */
  readonly keyHash: string | null;
  /** Whether it may link phones, and so see the code that links one. */
  readonly manages: boolean;
  /** Epoch ms when the login's token expires; null: an API key. */
  readonly tokenExpiresAt: number | null;
  /** The devices that the API key may use; null: all. */
  readonly sessionIds: readonly string[] | null;
  /** The events that its stream carries; null: those that every stream does. */
  readonly events: readonly string[] | null;
}

/** Who reads a stream. */
export interface Viewer extends TicketHolder {
  /** Where the stream is read. */
  readonly address: string;
}

/**
 * The agents of the chats that an event is about, null for each that is unassigned: of the chat on its device; where it concerns no device, as when
 * somebody's consent is changed by hand, of every chat with that person, which may be none.
 */
export type AssigneesOf = (tenantId: string, sessionId: string | null, chatId: string) => Promise<Assignees>;
export type Assignees = readonly (string | null)[];

/** Does the viewer's stream carry events of this type? */
export const carries = ({ events }: Pick<TicketHolder, 'events'>, type: string): boolean =>
  events === null ? STREAMED.has(type) : events.includes(type);

/** A restricted key sees the events of its devices, and none of the tenant as a whole. Events that link a phone need `manage`. */
export const isForItsKey = ({ sessionIds, manages }: Viewer, { session, type }: StreamEvent): boolean =>
  (sessionIds === null || (session !== null && sessionIds.includes(session))) && (manages || !linksPhone(type));

/** Events without a chat that agents may see: whether devices are online. */
const FOR_AGENTS: ReadonlySet<string> = new Set(['session.connected', 'session.disconnected', 'session.alert', 'session.restricted']);

/**
 * Agents see the chats assigned to them or to nobody, and whether devices are online; the rest is the owner's, with all that is about people who
 * have no chat. Of a chat that is taken from them they learn that, and nothing more.
 */
export const mayAgentSee = (
  { agentId }: Pick<TicketHolder, 'agentId'>,
  { chat, type, leaves }: Pick<StreamEvent, 'chat' | 'type' | 'leaves'>,
  assignees: Assignees,
): boolean => (chat === null ? FOR_AGENTS.has(type) : leaves === agentId || assignees.some((one) => one === null || one === agentId));

/** Which of these events of devices that its key may use a viewer may see. */
export async function shownTo(assigneesOf: AssigneesOf, viewer: TicketHolder, rows: readonly EventRow[]): Promise<readonly EventRow[]> {
  if (viewer.role === 'agent') return visibleEvents(assigneesOf, viewer, rows);
  return viewer.manages ? rows : rows.filter(({ type }) => !linksPhone(type));
}

/** Which of these events an agent may see. */
async function visibleEvents(assigneesOf: AssigneesOf, viewer: TicketHolder, events: readonly EventRow[]): Promise<readonly EventRow[]> {
  const visible = await Promise.all(
    events.map(async (event) => {
      const line = whoseOf(event);
      return mayAgentSee(viewer, line, line.chat === null ? [] : await assigneesOf(event.tenant_id, event.session_id, line.chat));
    }),
  );
  return events.filter((_event, nth) => visible[nth]);
}
