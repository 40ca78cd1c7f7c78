import { isIP } from 'node:net';
import { ProduceAcks, Producer, SASLMechanisms, stringSerializers } from '@platformatic/kafka';
import type { Address } from '../address.ts';
import type { OpenSink, Outgoing } from '../sink.ts';

const PATIENCE_MS = 10_000;
/** Half of a broker's default maximum batch size. */
const MAX_BATCH_CHARS = 500_000;

/** The chat is the key, so each chat stays in one partition. All in-sync replicas confirm a batch. */
export const openKafka: OpenSink = async (address) => {
  const topic = address.options['topic'] ?? 'gateway.events';
  const producer = new Producer({ ...reached(address), serializers: stringSerializers });

  const sent = async (events: readonly Outgoing[]): Promise<void> => {
    const messages = events.map((event) => ({
      topic,
      key: event.key,
      value: event.body,
      headers: headersOf(event),
      timestamp: BigInt(event.occurredAt),
    }));
    await producer.send({ messages, acks: ProduceAcks.ALL });
  };

  return {
    atOnce: Number.POSITIVE_INFINITY,
    held: null,
    async deliver(events) {
      for (const batch of batchesOf(events)) await sent(batch);
      return 'confirmed';
    },
    close: () => producer.close(),
  };
};

function headersOf({ isCloudEvent, attributes, contentType }: Outgoing): Record<string, string> {
  const prefix = isCloudEvent ? 'ce_' : '';
  return {
    'content-type': contentType,
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`${prefix}${name}`, value])),
  };
}

function batchesOf(events: readonly Outgoing[]): readonly (readonly Outgoing[])[] {
  const batches: Outgoing[][] = [[]];
  let chars = 0;
  for (const event of events) {
    if (chars > 0 && chars + event.body.length > MAX_BATCH_CHARS) {
      batches.push([]);
      chars = 0;
    }
    batches.at(-1)?.push(event);
    chars += event.body.length;
  }
  return batches;
}

const MECHANISMS: Readonly<Record<string, 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'>> = {
  plain: SASLMechanisms.PLAIN,
  'scram-sha-256': SASLMechanisms.SCRAM_SHA_256,
  'scram-sha-512': SASLMechanisms.SCRAM_SHA_512,
};

function reached({ isTls, host, port, username, password, options }: Address) {
  const mechanism = MECHANISMS[options['sasl'] ?? 'plain'] ?? SASLMechanisms.PLAIN;
  return {
    clientId: 'messaging-gateway',
    bootstrapBrokers: [{ host, port }],
    ...(isTls && { tls: {}, tlsServerName: isIP(host) === 0 }),
    ...(username !== null && { sasl: { mechanism, username, password: password ?? '' } }),
    retries: false,
    autocreateTopics: false,
    connectTimeout: PATIENCE_MS,
    requestTimeout: PATIENCE_MS,
    timeout: PATIENCE_MS,
  };
}
