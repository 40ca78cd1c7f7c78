import { GatewayClient, GatewayError, requestOf } from '../../client/client.ts';
import type { Gateway } from './context.ts';
import { BridgeRefused } from './refused.ts';

/** Chatwoot accepts files of up to 40 MB. */
const MAX_FILE = 40_000_000;
const FILE_MS = 120_000;

export function gatewayAt(url: string, key: string, sessionId: string): Gateway {
  const client = new GatewayClient(url, key);
  return {
    call: (id, input, options) => client.call(id, input, options),
    pages: (id, input, options) => client.pages(id, input, options),
    async file(messageId) {
      const { path } = requestOf('getMessageMedia', { params: { sessionId, messageId } });
      const answer = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${key}` },
        redirect: 'error',
        signal: AbortSignal.timeout(FILE_MS),
      });
      if (answer.ok && !(Number(answer.headers.get('content-length')) > MAX_FILE)) return answer.blob();
      await answer.body?.cancel();
      if (answer.ok || answer.status === 404) return null;
      throw new GatewayError(answer.status, 'MEDIA', `The gateway answered ${answer.status} to a request for a file.`);
    },
  };
}

/** The key must belong to this device and must not manage the business. */
export async function expectKey(gateway: Gateway, sessionId: string): Promise<void> {
  try {
    const { auth, scopes, sessions } = await gateway.call('getMe', {});
    if (auth !== 'api_key') throw new BridgeRefused('GATEWAY_KEY must be an API key, not the token of a login.');
    if (scopes?.includes('manage'))
      throw new BridgeRefused('GATEWAY_KEY may also manage the business: create an API key with the scopes read and send only.');
    if (sessions !== null && !sessions.includes(sessionId)) throw new BridgeRefused(`GATEWAY_KEY cannot use the device ${sessionId}.`);
    await gateway.call('getSession', { params: { sessionId } });
  } catch (cause) {
    if (cause instanceof BridgeRefused) throw cause;
    if (!(cause instanceof GatewayError))
      throw new BridgeRefused('The gateway does not respond. Check GATEWAY_URL, then start the bridge again.');
    throw new BridgeRefused(`The gateway refused the request: ${cause.message} (${cause.code}).`);
  }
}
