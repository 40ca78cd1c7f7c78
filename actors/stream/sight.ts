import type { Line } from './line.ts';

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

/** Agents see the chats assigned to them or to nobody (spec.md 4.6), and whether devices are online; the rest is the owner's. */
export const mayAgentSee = ({ agentId }: Viewer, { chat, type }: Line, assignee: string | null): boolean =>
  chat === null ? type.startsWith('session.') : assignee === null || assignee === agentId;
