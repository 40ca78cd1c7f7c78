import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Refusal } from '../../../runtime/errors.ts';
import type { Commands } from './commands.ts';

export interface Control {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves `POST /<command>` with the arguments as a JSON list. Returns `{ "said": … }`, or `{ "refused": code }` with
 * status 409.
 */
export async function startControl(commands: Commands, port = 0): Promise<Control> {
  const server = createServer((request, response) => {
    void answer(commands, request, response).catch((cause: unknown) => end(response, 500, { failed: String(cause) }));
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function answer(commands: Commands, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = (request.url ?? '').slice(1);
  const given = await json(request);
  if (!Object.hasOwn(commands, name) || !Array.isArray(given)) return end(response, 404, { failed: `no such command: ${name}` });
  const command = commands[name as keyof Commands] as (...given: readonly unknown[]) => unknown;
  try {
    end(response, 200, { said: (await command(...given)) ?? null });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    end(response, 409, { refused: cause.code });
  }
}

function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
