import { type ChannelModel, connect } from 'amqplib';
import type { Address } from '../address.ts';
import { inOrder, type OpenSink, type Outgoing, type Sink } from '../sink.ts';
import { prefixed } from './headers.ts';

const PATIENCE_MS = 10_000;
/** The broker closes a connection that is silent for two intervals. */
const HEARTBEAT_S = 10;

/** A returned message has not reached a queue, even though the broker confirms it. */
export const openAmqp: OpenSink = async (address) => {
  const connection = await connect(reached(address), { timeout: PATIENCE_MS });
  try {
    return await publisherOn(connection, address.options['exchange'] ?? 'gateway.events');
  } catch (cause) {
    await connection.close().catch(() => {});
    throw cause;
  }
};

async function publisherOn(connection: ChannelModel, exchange: string): Promise<Sink> {
  let broken: Error | null = null;
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  const breaks = (cause?: Error): void => {
    broken ??= cause ?? new Error('the broker closed the connection');
    gone.reject(broken);
  };
  connection.on('error', breaks).on('close', breaks);
  const channel = await connection.createConfirmChannel();
  channel.on('error', breaks).on('close', breaks);
  const returned = new Set<string>();
  channel.on('return', ({ properties }) => void returned.add(properties.messageId));
  await Promise.race([channel.checkExchange(exchange), gone.promise]);

  const send = (event: Outgoing): Promise<void> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken);
      const key = `${event.session}.${event.type}`;
      const options = {
        mandatory: true,
        persistent: true,
        messageId: event.id,
        type: event.type,
        timestamp: Math.floor(event.occurredAt / 1_000),
        contentType: event.contentType,
        ...(event.isCloudEvent && { headers: prefixed('cloudEvents_', event) }),
      };
      channel.publish(exchange, key, Buffer.from(event.body), options, (refused) => {
        if (refused) reject(new Error(`the broker refused ${key}`));
        else if (returned.delete(event.id)) reject(new Error(`no queue is bound for ${key}`));
        else resolve();
      });
    });

  return {
    atOnce: Number.POSITIVE_INFINITY,
    held: null,
    async deliver(events) {
      await Promise.race([inOrder(events, send), gone.promise]);
      return 'confirmed';
    },
    close: () => connection.close(),
  };
}

function reached({ isTls, host, port, username, password, path }: Address) {
  const user = { username: username ?? 'guest', password: password ?? (username === null ? 'guest' : '') };
  const protocol = isTls ? 'amqps' : 'amqp';
  return { protocol, hostname: host, port, ...user, vhost: encodeURIComponent(path || '/'), heartbeat: HEARTBEAT_S };
}
