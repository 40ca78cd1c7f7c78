import type { EventRow } from '../../store/events.ts';
import { type Line, whoseOf } from './line.ts';

/** Who reads a stream: the caller that asked for its ticket. */
export interface Viewer {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  /** The login; null: an API key. */
  readonly family: string | null;
  readonly keyId: string | null;
  /** The devices that the API key may use; null: all. */
  readonly sessionIds: readonly string[] | null;
}

/** Whom a chat is assigned to; null: nobody. */
export type AssigneeOf = (tenantId: string, sessionId: string | null, chatId: string) => Promise<string | null>;

/** A key for certain devices sees these, and nothing of the tenant as a whole. */
export const isOfItsDevices = ({ sessionIds }: Viewer, { session }: Line): boolean =>
  sessionIds === null || (session !== null && sessionIds.includes(session));

/** Of what is no chat's, agents hear whether devices are online. */
const FOR_AGENTS: ReadonlySet<string> = new Set(['session.connected', 'session.disconnected', 'session.alert', 'session.restricted']);

/**
 * Agents see the chats assigned to them or to nobody (spec.md 4.6), and whether devices are online; the rest is the owner's. Of a chat that is
 * taken from them they hear that, and nothing more.
 */
export const mayAgentSee = (
  { agentId }: Viewer,
  { chat, type, leaves }: Pick<Line, 'chat' | 'type' | 'leaves'>,
  assignee: string | null,
): boolean => (chat === null ? FOR_AGENTS.has(type) : assignee === null || assignee === agentId || leaves === agentId);

/** Which of these events an agent may see. */
export async function eventsInSight(assigneeOf: AssigneeOf, viewer: Viewer, events: readonly EventRow[]): Promise<readonly EventRow[]> {
  const lines = events.map(whoseOf);
  const assignees = await Promise.all(
    events.map(({ tenant_id, session_id }, nth) => {
      const chat = lines[nth]!.chat;
      return chat === null ? null : assigneeOf(tenant_id, session_id, chat);
    }),
  );
  return events.filter((_event, nth) => mayAgentSee(viewer, lines[nth]!, assignees[nth]!));
}
