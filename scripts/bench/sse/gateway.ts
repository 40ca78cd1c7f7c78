import { systemClock } from '../../../runtime/clock.ts';
import { CLIENTS, FILLING, report } from './measure.ts';
import { startTicketNode } from './ticket-node.ts';

const { node, port, tenantId, paths } = await startTicketNode(CLIENTS);
const data = { scheduled_id: 'bench', message_id: FILLING };
const ID = `evt_${'0'.repeat(26)}`;
const sample = { id: ID, type: 'scheduled.sent', session_id: null, occurred_at: systemClock.now(), data };

await report({
  port,
  paths,
  frameBytes: Buffer.byteLength(`event: scheduled.sent\ndata: ${JSON.stringify(sample)}\n\n`),
  say: () => node.live.emit(tenantId, null, { type: 'scheduled.sent', data }),
});
