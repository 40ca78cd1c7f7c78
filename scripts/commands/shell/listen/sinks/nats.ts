import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { asError } from '../../../../../runtime/errors.ts';
import type { Address } from '../address.ts';
import { inOrder, type OpenSink, type Outgoing } from '../sink.ts';
import { prefixed } from './headers.ts';

const PATIENCE_MS = 10_000;

/** JetStream confirms each message, and drops messages whose id it saw in its duplicate window. */
export const openNats: OpenSink = async (address) => {
  const prefix = address.options['subject'] ?? 'gw';
  const connection = await connect(reached(address));
  try {
    await (await jetstreamManager(connection, { timeout: PATIENCE_MS })).streams.find(`${prefix}.>`);
  } catch (cause) {
    await connection.close();
    throw new Error(`no JetStream stream stores ${prefix}.> (${asError(cause).message})`, { cause });
  }
  const stream = jetstream(connection, { timeout: PATIENCE_MS });

  async function send(event: Outgoing): Promise<void> {
    const subject = `${prefix}.${event.session}.${event.type}`;
    const given = headers();
    for (const [name, value] of Object.entries(prefixed(event.isCloudEvent ? 'ce-' : '', event))) given.set(name, value);
    given.set('content-type', event.contentType);
    await stream.publish(subject, event.body, { msgID: event.id, headers: given, retries: 1 });
  }

  return {
    atOnce: Number.POSITIVE_INFINITY,
    held: null,
    async deliver(events) {
      await inOrder(events, send);
      return 'stored';
    },
    close: () => connection.close(),
  };
};

/** A password without a user name is sent as a token. */
function reached({ isTls, host, port, username, password }: Address) {
  return {
    servers: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    ...(username !== null && { user: username, pass: password ?? '' }),
    ...(username === null && password !== null && { token: password }),
    tls: isTls ? {} : null,
    reconnect: false,
    ignoreClusterUpdates: true,
    timeout: PATIENCE_MS,
  };
}
