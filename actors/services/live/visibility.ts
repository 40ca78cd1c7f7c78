import type { EventRow } from '../../../store/events/events.ts';
import { linksPhone, STREAMED } from '../events/types.ts';
import { type StreamEvent, whoseOf } from './stream-event.ts';

/** The caller that requested a stream ticket. */
export interface TicketHolder {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  /** Login family; null for an API key. */
  readonly family: string | null;
  readonly keyId: string | null;
  /** SHA-256 of the key's secret, hex; changes when the key is rotated. */
  readonly keyHash: string | null;
  /** Whether the caller may link phones, and so may see linking codes. */
  readonly manages: boolean;
  /** Epoch ms when the login's token expires; null for an API key. */
  readonly tokenExpiresAt: number | null;
  /** Devices that the API key may use; null for all devices. */
  readonly sessionIds: readonly string[] | null;
  /** Events that the stream carries; null for the default events. */
  readonly events: readonly string[] | null;
}

/** The reader of an open stream. */
export interface Viewer extends TicketHolder {
  /** IP address of the reader. */
  readonly address: string;
}

/**
 * Looks up the agents assigned to the chats that an event concerns; null for each unassigned chat.
 * Covers the chat on its device. Without a device, as when consent is changed by hand, covers every
 * chat with that person, possibly none.
 */
export type AssigneesOf = (tenantId: string, sessionId: string | null, chatId: string) => Promise<Assignees>;
export type Assignees = readonly (string | null)[];

/** Whether the viewer's stream carries events of this type. */
export const carries = ({ events }: Pick<TicketHolder, 'events'>, type: string): boolean =>
  events === null ? STREAMED.has(type) : events.includes(type);

/**
 * Whether the reader's key may see the event. A restricted key sees only events of its devices, no
 * tenant-wide ones. Linking codes need `manage`.
 */
export const isForItsKey = ({ sessionIds, manages }: Viewer, { session, type }: StreamEvent): boolean =>
  (sessionIds === null || (session !== null && sessionIds.includes(session))) && (manages || !linksPhone(type));

/** Events without a chat that agents may see: the connection state of devices. */
const FOR_AGENTS: ReadonlySet<string> = new Set(['session.connected', 'session.disconnected', 'session.alert', 'session.restricted']);

/**
 * Whether an agent may see an event. Agents see chats that are unassigned or assigned to them, and
 * whether devices are online. All else, including people without a chat, is for the owner only. An
 * agent who loses a chat receives only the event that reports it.
 */
export const mayAgentSee = (
  { agentId }: Pick<TicketHolder, 'agentId'>,
  { chat, type, leaves }: Pick<StreamEvent, 'chat' | 'type' | 'leaves'>,
  assignees: Assignees,
): boolean => (chat === null ? FOR_AGENTS.has(type) : leaves === agentId || assignees.some((one) => one === null || one === agentId));

/**
 * Returns the events that the viewer may see. The events must already be limited to the devices of
 * the viewer's key.
 */
export async function shownTo(assigneesOf: AssigneesOf, viewer: TicketHolder, rows: readonly EventRow[]): Promise<readonly EventRow[]> {
  if (viewer.role === 'agent') return visibleEvents(assigneesOf, viewer, rows);
  return viewer.manages ? rows : rows.filter(({ type }) => !linksPhone(type));
}

async function visibleEvents(assigneesOf: AssigneesOf, viewer: TicketHolder, events: readonly EventRow[]): Promise<readonly EventRow[]> {
  const visible = await Promise.all(
    events.map(async (event) => {
      const line = whoseOf(event);
      return mayAgentSee(viewer, line, line.chat === null ? [] : await assigneesOf(event.tenant_id, event.session_id, line.chat));
    }),
  );
  return events.filter((_event, nth) => visible[nth]);
}
