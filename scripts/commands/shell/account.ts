import { readFileSync } from 'node:fs';
import { type Command, type Options, type Shell, textOf } from './command.ts';

export const ACCOUNT: readonly Command[] = [
  {
    name: 'sign-in',
    about:
      'Sign in with the one-time code that a phone receives, or with an API key. The login is stored in a file that only you can read (GATEWAY_CREDENTIALS).',
    options: {
      phone: { type: 'string', value: '+62…', about: 'the number of the account' },
      name: { type: 'string', value: 'N', about: 'sign up a new business with this name' },
      code: {
        type: 'string',
        value: 'C',
        about: 'the code, if there is no terminal: run the command without --code first, then again with it',
      },
      'second-factor': { type: 'string', value: 'C', about: 'a code from the authenticator app, if two-factor sign-in is on' },
      key: {
        type: 'string',
        value: 'K',
        about: 'an API key instead of a phone and a code; - reads it from standard input, to keep it out of the shell history',
      },
    },
    run: signIn,
  },
  {
    name: 'sign-out',
    about: 'End this login and delete it from this machine. An API key stays valid.',
    async run({ api }) {
      const { auth } = await api.call('getMe', {});
      if (auth === 'login') await api.call('logout', {});
      api.keep(null);
      return { json: { ok: true }, text: 'Signed out.' };
    },
  },
  {
    name: 'whoami',
    about: 'Show who is signed in, and at which gateway.',
    async run({ api }) {
      const me = await api.call('getMe', {});
      return { json: me, text: `${me.agent_name} (${me.auth === 'login' ? me.role : 'API key'}) at ${api.url}` };
    },
  },
];

async function signIn(shell: Shell, _names: readonly string[], options: Options) {
  const { api } = shell;
  const given = textOf(options, 'key');
  const key = given === '-' ? readFileSync(0, 'utf8').trim() : given;
  if (key !== undefined) {
    api.keep({ key });
    return welcome(shell);
  }
  const phone = textOf(options, 'phone') ?? (await shell.ask('Phone number of the account (+62…): ', '--phone +62…'));
  let code = textOf(options, 'code');
  if (code === undefined) {
    const name = textOf(options, 'name');
    await (name === undefined ? api.open('requestOneTimeCode', { body: { phone } }) : api.open('register', { body: { phone, name } }));
    shell.say(`A code is on its way to ${phone}.`);
    code = await shell.ask('Code: ', '--code 123456');
  }
  const answer = await api.open('verifyOneTimeCode', { body: { phone, code } });
  const { token, refresh_token } = 'challenge' in answer ? await secondFactor(shell, answer.challenge, options) : answer;
  api.keep({ token, refresh_token });
  return welcome(shell);
}

async function secondFactor({ api, ask }: Shell, challenge: string, options: Options) {
  const code = textOf(options, 'second-factor') ?? (await ask('Code from the authenticator app: ', '--second-factor 123456'));
  return api.open('verifySecondFactor', { body: { challenge, code } });
}

async function welcome({ api }: Shell) {
  const me = await api.call('getMe', {});
  return { json: me, text: `Signed in as ${me.agent_name} at ${api.url}.` };
}
