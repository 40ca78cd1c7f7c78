import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PLACES } from '../../../../http/openapi/client/gateway.generated.ts';

/**
 * Every operation of the API that changes something is called by the console, or stands here with the reason why not. The operations are those of the
 * generated client, which another test holds against the OpenAPI document.
 */

const APP = join(import.meta.dirname, '../../../../http/console/app');

const SOURCES = readdirSync(APP, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(APP, path), 'utf8'))
  .join('\n');

/** Not called by the console, by reason. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'the browser signs in by /console/session, which keeps the refresh token on the server; these are called by path': [
    ...['register', 'requestOneTimeCode', 'verifyOneTimeCode', 'refreshLogin', 'logout', 'openConsoleSession', 'closeConsoleSession'],
    ...['refreshConsoleSession', 'verifySecondFactor', 'stepUp', 'requestPasskey', 'signInWithPasskey'],
  ],
  'other systems and phones call it, not people': [
    ...['receiveStoreWebhook', 'receiveOfficialWebhook', 'receivePaymentWebhook', 'answerPasskeyCeremony', 'putUpload', 'mcp'],
  ],
  'for programs: the console sends one message or a campaign, and uploads a file with its message': [
    ...['sendMessages', 'createUploadUrl', 'deleteMedia', 'validateNumbers', 'endEventReader', 'showPresence'],
  ],
  'for browsers of programs that subscribe by themselves: the console shows news while it is open': [
    ...['subscribeBrowser', 'unsubscribeBrowser', 'testPush'],
  ],
  'moving in streams the files of another program, which the shell command reads': ['moveIn', 'checkMoveIn'],
  'done on the phone, or by a program: the console shows groups, communities and channels, leaves them and writes to them': [
    ...[
      'updateGroup',
      'changeGroupMembers',
      'answerGroupRequests',
      'revokeGroupInvite',
      'joinGroup',
      'setGroupPicture',
      'removeGroupPicture',
    ],
    ...['createCommunity', 'updateCommunity', 'endCommunity', 'addCommunityGroup', 'removeCommunityGroup'],
    ...['createChannel', 'updateChannel', 'deleteChannel', 'muteChannel', 'unmuteChannel', 'publishStatus', 'deleteStatus'],
  ],
  'the profile and the rules of the account are set on the phone it belongs to': [
    ...['updateNetworkAccount', 'setAccountPicture', 'removeAccountPicture', 'updateAccountPrivacy', 'updateCallRules', 'blockPerson'],
    ...['unblockPerson', 'updateBusinessProfile', 'createProduct', 'updateProduct', 'deleteProduct'],
  ],
  'the inbox has tags of its own, and labels of the phone are set on the phone': [
    ...['createChatLabel', 'updateChatLabel', 'deleteChatLabel', 'labelChat', 'unlabelChat'],
  ],
  'a message is quoted or written again in the inbox': ['forwardMessage', 'sendAlbum'],
  'tags and fields come into being with the contacts that have them; the settings of the business do not list them yet': [
    ...['createTag', 'changeTag', 'deleteTag', 'createAttribute', 'changeAttribute', 'deleteAttribute'],
    ...['createContactGroup', 'changeContactGroup', 'deleteContactGroup'],
  ],
  'a key is rotated or revoked; its name and scopes stay as they were made': ['updateApiKey'],
  'a device is logged out, or stays connected': ['disconnectSession'],
  'templates of the official platform are read when one changes, and every 6 hours': ['syncTemplates'],
  'ends the business: asked for in writing, by the API': ['deleteAccount', 'restoreAccount'],
  'recovery codes are made when the second factor is set up': ['renewRecoveryCodes'],
  'operators do it from the shell of the host, where the admin secret is': [
    ...['disableOperatorTwoFactor', 'setUpOperatorTwoFactor', 'enableOperatorTwoFactor', 'verifyOperatorSecondFactor'],
    ...['markInvoiceRefunded', 'pinBuild', 'putAdminPrices'],
  ],
};

const isCalled = (operation: string): boolean => SOURCES.includes(`'${operation}'`) || SOURCES.includes(`"${operation}"`);

describe('the console', () => {
  const changing = Object.entries(PLACES)
    .filter(([, [method]]) => method !== 'GET')
    .map(([operation]) => operation);
  const excused = Object.values(EXCEPTIONS).flat();

  it('calls every operation that changes data, except for the listed exceptions', () => {
    assert.deepEqual(
      changing.filter((operation) => !isCalled(operation) && !excused.includes(operation)),
      [],
    );
  });

  it('lists each exception once, and only for existing operations', () => {
    assert.deepEqual(
      excused.filter((operation, nth) => !changing.includes(operation) || excused.indexOf(operation) !== nth),
      [],
    );
  });
});
