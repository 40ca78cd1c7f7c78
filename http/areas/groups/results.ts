import type { MemberResult } from '../../../actors/network/groups.ts';
import type { Accepted } from '../../../actors/services/messaging/idempotency.ts';

export interface Invited extends Pick<Accepted, 'id' | 'status'> {
  readonly phone: string;
}

interface ShownResult {
  readonly phone: string | null;
  readonly lid: string | null;
  readonly status: 'ok' | 'invited' | 'failed';
  readonly code: number | null;
  readonly message_id?: string;
}

/** Shows a queued invitation as `invited`, and one that exceeds the plan's quota as `failed`. */
export const shownResults = (results: readonly MemberResult[], sent: readonly Invited[] = []): readonly ShownResult[] =>
  results.map(({ person: { phone, lid }, code }) => {
    const invite = sent.find((one) => one.phone === phone);
    const status = statusOf(code, invite?.status === 'queued');
    return { phone, lid, status, code, ...(invite && { message_id: invite.id }) };
  });

const statusOf = (code: number | null, isInvited: boolean): ShownResult['status'] => {
  if (code === null) return 'ok';
  return isInvited ? 'invited' : 'failed';
};
