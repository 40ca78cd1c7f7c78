import { hash, randomBytes } from 'node:crypto';
import type { TicketRow, Tickets } from '../../../store/accounts/stream-tickets.ts';
import { refusal } from '../../domain/refusals.ts';
import type { TicketHolder } from './visibility.ts';

const TICKET_LIFE_MS = 60_000;
const TICKET_BYTES = 32;

export async function issueTicket(tickets: Tickets, viewer: TicketHolder, now: number): Promise<string> {
  const ticket = randomBytes(TICKET_BYTES).toString('base64url');
  const { tenantId, role, agentId, family, keyId, keyHash, manages, tokenExpiresAt, sessionIds, events } = viewer;
  const whose = {
    tenant_id: tenantId,
    role,
    agent_id: agentId,
    family,
    key_id: keyId,
    key_hash: keyHash,
    manages,
    session_ids: sessionIds,
    events,
  };
  await tickets.create({ _id: hashOf(ticket), ...whose, token_expires_at: tokenExpiresAt, expires_at: now + TICKET_LIFE_MS });
  return ticket;
}

/** Redeems a ticket. It cannot be used again, even if the stream fails afterwards. */
export async function redeemTicket(tickets: Tickets, ticket: string, now: number): Promise<TicketHolder> {
  const row = await tickets.take(hashOf(ticket), now);
  if (row === null) throw refusal('UNAUTHORIZED');
  return viewerOf(row);
}

const hashOf = (ticket: string): string => hash('sha256', ticket, 'hex');

function viewerOf(row: TicketRow): TicketHolder {
  return {
    tenantId: row.tenant_id,
    role: row.role,
    agentId: row.agent_id,
    family: row.family,
    keyId: row.key_id,
    keyHash: row.key_hash,
    manages: row.manages,
    tokenExpiresAt: row.token_expires_at,
    sessionIds: row.session_ids,
    events: row.events,
  };
}
