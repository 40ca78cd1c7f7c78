import { request } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import type { Egress } from '../../../runtime/egress/egress.ts';

/**
 * Reads the page on which the network names the current build of its web client. The request looks
 * like a browser's, because the network answers other requests with 400. It uses the gateway's own
 * connection, never a device's proxy, and does not follow redirects.
 */

export const BUILD_PAGE = 'https://web.whatsapp.com/sw.js';

const WITHIN_MS = 10_000;
const MAX_BYTES = 4_000_000;
const HEADERS = {
  'accept-encoding': 'identity',
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};

export interface BuildPage {
  read(): Promise<string>;
  close(): Promise<void>;
}

export function createBuildPage(url: string, egress: Pick<Egress, 'dispatcher' | 'close'>, clock: Clock): BuildPage {
  return {
    async read() {
      const abort = new AbortController();
      const cancel = clock.after(WITHIN_MS, () => abort.abort(new Error('no response in time')));
      try {
        const { statusCode, body } = await request(url, { headers: HEADERS, dispatcher: egress.dispatcher, signal: abort.signal });
        try {
          if (statusCode < 200 || statusCode > 299) throw new Error(`answered ${statusCode}`);
          return await bounded(body);
        } finally {
          body.on('error', () => {}).destroy();
        }
      } finally {
        cancel();
      }
    },
    close: () => egress.close(),
  };
}

async function bounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the page is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
