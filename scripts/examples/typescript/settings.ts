import { GatewayClient } from '../../client/client.ts';

const { GATEWAY_URL = 'http://127.0.0.1:8080', GATEWAY_KEY = '', SESSION_ID = '', TO = '' } = process.env;

/** The address, an API key, a linked device, and a recipient (`+6281234567890`). */
export const gateway = new GatewayClient(GATEWAY_URL, GATEWAY_KEY);
export const sessionId = SESSION_ID;
export const to = TO;
