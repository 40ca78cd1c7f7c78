import { hash, randomBytes } from 'node:crypto';
import type { TicketRow, Tickets } from '../../store/tickets.ts';
import { refusal } from '../refusals.ts';
import type { Viewer } from './sight.ts';

/** spec.md part 8 "Event ticket". */
const TICKET_LIFE_MS = 60_000;
const TICKET_BYTES = 32;

/** A ticket that opens one stream for this viewer, once, within 60 seconds of `now`. */
export async function issueTicket(tickets: Tickets, viewer: Viewer, now: number): Promise<string> {
  const ticket = randomBytes(TICKET_BYTES).toString('base64url');
  const { tenantId, role, agentId, family, keyId, sessionIds } = viewer;
  const whose = { tenant_id: tenantId, role, agent_id: agentId, family, key_id: keyId, session_ids: sessionIds };
  await tickets.create({ _id: hashOf(ticket), ...whose, expires_at: now + TICKET_LIFE_MS });
  return ticket;
}

/** Uses a ticket up, whatever comes of the stream. Rejects with Refusal UNAUTHORIZED when it was used, is too old, or never was one. */
export async function redeemTicket(tickets: Tickets, ticket: string, now: number): Promise<Viewer> {
  const row = await tickets.take(hashOf(ticket), now);
  if (row === null) throw refusal('UNAUTHORIZED');
  return viewerOf(row);
}

const hashOf = (ticket: string): string => hash('sha256', ticket, 'hex');

function viewerOf({ tenant_id, role, agent_id, family, key_id, session_ids }: TicketRow): Viewer {
  return { tenantId: tenant_id, role, agentId: agent_id, family, keyId: key_id, sessionIds: session_ids };
}
