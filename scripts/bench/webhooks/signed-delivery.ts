import { newDelivery } from '../../../actors/services/webhooks/new-delivery.ts';
import { SignedDelivery } from '../../../actors/services/webhooks/signed-delivery.ts';
import { WebhookClient } from '../../../actors/services/webhooks/webhook-client.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createEgress } from '../../../runtime/egress/egress.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';
import { BODY, measurePosts } from './post.ts';
import { startSink } from './sink.ts';

const place = await startSink();
const { dispatcher } = createEgress({ allow: [place], clock: systemClock });
const webhookClient = new WebhookClient({ dispatcher, clock: systemClock });
const webhook: WebhookRow = {
  _id: '01JZX5ZB4T8QKX3N9V7C2M6D1E',
  tenant_id: 'bench',
  url: `http://${place}/hook`,
  events: ['message.received'],
  secret: 'a secret that only the two of us know',
  created_at: 0,
  disabled_at: null,
};
const event = { event_id: 'evt_01JZX5ZB4T8QKX3N9V7C2M6D1E', event: 'message.received', body: BODY };
const row = newDelivery(webhook, event, { isAsked: false, epoch: 1, now: systemClock.now() });

await measurePosts((over) => webhookClient.send(new SignedDelivery(webhook, row, over)));
