import type { EventRow } from '../../../store/events/events.ts';
import { linksPhone, STREAMED } from '../events/types.ts';
import { type StreamEvent, whoseOf } from './stream-event.ts';

export interface TicketHolder {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly family: string | null;
  readonly keyId: string | null;
  readonly keyHash: string | null;
  /** Whether the caller may link phones. If not, linking codes are hidden from them. */
  readonly manages: boolean;
  readonly tokenExpiresAt: number | null;
  readonly sessionIds: readonly string[] | null;
  readonly events: readonly string[] | null;
}

export interface Viewer extends TicketHolder {
  readonly address: string;
}

/** A chat's agents; null stands for unassigned. Without a device, covers all chats with the person. */
export type AssigneesOf = (tenantId: string, sessionId: string | null, chatId: string) => Promise<Assignees>;
export type Assignees = readonly (string | null)[];

export const carries = ({ events }: Pick<TicketHolder, 'events'>, type: string): boolean =>
  events === null ? STREAMED.has(type) : events.includes(type);

/** A restricted key allows only events from its own devices. Linking codes require `manage`. */
export const isForItsKey = ({ sessionIds, manages }: Viewer, { session, type }: StreamEvent): boolean =>
  (sessionIds === null || (session !== null && sessionIds.includes(session))) && (manages || !linksPhone(type));

const FOR_AGENTS: ReadonlySet<string> = new Set(['session.connected', 'session.disconnected', 'session.alert', 'session.restricted']);

export const mayAgentSee = (
  { agentId }: Pick<TicketHolder, 'agentId'>,
  { chat, type, leaves }: Pick<StreamEvent, 'chat' | 'type' | 'leaves'>,
  assignees: Assignees,
): boolean => (chat === null ? FOR_AGENTS.has(type) : leaves === agentId || assignees.some((one) => one === null || one === agentId));

/** The caller must already have removed events of devices that the viewer's key does not allow. */
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
