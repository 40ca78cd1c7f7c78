import { Failure } from '../cluster/operator.ts';
import { type Command, misunderstood, textOf } from './command.ts';

const REQUIRED = ['to', 'account', 'inbox', 'session', 'state', 'public-url'] as const;

export const BRIDGE: readonly Command[] = [
  {
    name: 'bridge chatwoot',
    about:
      'Connect a device to a Chatwoot API inbox until you press Ctrl-C: messages from customers appear in Chatwoot, and agents reply from there. CHATWOOT_TOKEN is the access token, CHATWOOT_WEBHOOK_SECRET is the secret of the inbox, and GATEWAY_KEY is a device key with the read and send scopes.',
    options: {
      to: { type: 'string', value: 'URL', about: 'the address of Chatwoot' },
      account: { type: 'string', value: 'N', about: 'the account in Chatwoot' },
      inbox: { type: 'string', value: 'ID', about: 'its API inbox' },
      session: { type: 'string', value: 'ID', about: 'the device' },
      state: { type: 'string', value: 'FILE', about: 'the file with the progress of the bridge; one for each inbox' },
      listen: {
        type: 'string',
        value: 'PORT',
        about: 'where Chatwoot sends its webhooks: a port on this machine, or address:port (default: 3100)',
      },
      'public-url': { type: 'string', value: 'URL', about: 'the address at which Chatwoot reaches that port' },
      sign: { type: 'boolean', about: 'put the agent’s name above each message' },
      settle: {
        type: 'string',
        value: 'S',
        about: 'seconds that Chatwoot has to complete a request that was cut off (default: 30)',
      },
    },
    run: async (shell, _names, options) => {
      const missing = REQUIRED.find((name) => textOf(options, name) === undefined);
      if (missing) throw misunderstood(`--${missing} is missing`, 'bridge chatwoot');
      const text = (name: string, otherwise = ''): string => textOf(options, name) ?? otherwise;
      const { runBridge } = await import('../../bridge/chatwoot/main.ts');
      const wanted = {
        ...{ gatewayUrl: shell.api.url, to: text('to'), account: text('account'), inbox: text('inbox'), session: text('session') },
        ...{ state: text('state'), listen: text('listen', '3100'), publicUrl: text('public-url'), settle: text('settle', '30') },
        isSigned: options['sign'] === true,
      };
      await runBridge(wanted, process.env, shell.say).catch((cause: Error) => {
        throw cause.name === 'BridgeRefused' ? new Failure(cause.message) : cause;
      });
      return null;
    },
  },
];
