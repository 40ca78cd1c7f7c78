import { connectAsync, type IClientOptions } from 'mqtt';
import type { Address } from '../address.ts';
import { inOrder, type OpenSink, type Outgoing } from '../sink.ts';

const PATIENCE_MS = 10_000;
const KEEP_ALIVE_S = 15;

/** Uses MQTT 5 with QoS 1. The broker does not retain messages, and drops those without a subscriber. */
export const openMqtt: OpenSink = async (address) => {
  const prefix = address.options['topic'] ?? 'gw';
  const client = await connectAsync(reached(address));
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  client.on('error', gone.reject).on('close', () => gone.reject(new Error('the broker closed the connection')));

  async function send(event: Outgoing): Promise<void> {
    await client.publishAsync(`${prefix}/${event.session}/${event.type}`, event.body, {
      qos: 1,
      retain: false,
      properties: { contentType: event.contentType, userProperties: { ...event.attributes } },
    });
  }

  return {
    atOnce: Number.POSITIVE_INFINITY,
    held: null,
    async deliver(events) {
      await Promise.race([inOrder(events, send), gone.promise]);
      return 'handed over';
    },
    close: () => client.endAsync(true),
  };
};

function reached({ isTls, host, port, username, password }: Address): IClientOptions {
  return {
    protocol: isTls ? 'mqtts' : 'mqtt',
    host,
    port,
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    protocolVersion: 5,
    clean: true,
    keepalive: KEEP_ALIVE_S,
    connectTimeout: PATIENCE_MS,
    reconnectPeriod: 0,
    queueQoSZero: false,
  };
}
