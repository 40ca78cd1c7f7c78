import type { Recipients } from '../../store/blast-recipients.ts';
import type { MessageRow } from '../../store/messages.ts';
import type { FollowUp } from '../follow-ups.ts';
import { isOut, outcomeOf } from './outcomes.ts';

/** What becomes of a campaign's messages is written to its recipients; the campaign is told where that may be its turn. */
export function keepRecipients(recipients: Pick<Recipients, 'cameOut'>, hint: (tenantId: string, blastId: string) => void): FollowUp {
  return {
    name: 'recipients',
    async run(rows) {
      const own = rows.filter((row): row is MessageRow & { blast_id: string } => row.blast_id !== undefined);
      for (const [blastId, messages] of Map.groupBy(own, ({ blast_id }) => blast_id)) {
        const outcomes = messages.map(outcomeOf).filter(isOut);
        if ((await recipients.cameOut(outcomes)) > 0) hint(messages[0]!.tenant_id, blastId);
      }
    },
  };
}
