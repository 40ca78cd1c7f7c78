import type { Pacing } from '../../actors/device/behaviour/facts.ts';
import { pacingIn } from '../../actors/device/behaviour/pacing.ts';
import type { DeviceDeps } from '../../actors/device/effects/deps.ts';
import { createPaceChanges } from '../../actors/device/pace-changes.ts';
import { deviceKind } from '../../actors/device/register.ts';
import { createRemoval } from '../../actors/device/removal.ts';
import { settingsOf } from '../../actors/domain/settings.ts';
import { sandboxLoginReader } from '../../actors/network/sandbox/moved-login.ts';
import { movedLoginReader } from '../../actors/network/whatsapp/keys/moved-login.ts';
import { PLATFORM, platformChats } from '../../actors/services/accounts/platform-sender.ts';
import { createInTime } from '../../actors/services/campaigns/late-messages.ts';
import { withConsent } from '../../actors/services/consent/cancel-marketing.ts';
import { createOptedOut } from '../../actors/services/consent/opted-out.ts';
import { createWhyNot } from '../../actors/services/consent/why-not.ts';
import { keepChatMarks, mirrorChats } from '../../actors/services/conversations/chat-marks.ts';
import { keepCleared } from '../../actors/services/conversations/cleared-chats.ts';
import { importChats } from '../../actors/services/conversations/import-history.ts';
import { olderLoaded } from '../../actors/services/conversations/older-messages.ts';
import { readElsewhere } from '../../actors/services/conversations/read-elsewhere.ts';
import { keepSavedName } from '../../actors/services/conversations/saved-names.ts';
import { tellPresence } from '../../actors/services/conversations/tell-presence.ts';
import { sealedMessageSecrets } from '../../actors/services/credentials/message-secrets.ts';
import { sealedCredentials } from '../../actors/services/credentials/sealed-credentials.ts';
import { messageFiles } from '../../actors/services/media/message-files.ts';
import { keepMemberReceipts } from '../../actors/services/messaging/member-receipts.ts';
import { createRemovedDevices, type RemovedDevices } from '../../actors/services/messaging/removed-devices.ts';
import { createMoveIn, type MoveInService } from '../../actors/services/move-in/move-in.ts';
import { messagesKeptSince } from '../../actors/services/privacy/retention/retention.ts';
import { forgetWebhooks } from '../../actors/services/webhooks/removal.ts';
import { campaignMessagesIn } from '../../store/campaigns/campaign-messages.ts';
import { recipientsIn } from '../../store/campaigns/recipients.ts';
import { consentConfigsIn } from '../../store/consent/consent-configs.ts';
import { chatTimersIn } from '../../store/conversations/chat-timers.ts';
import { dueChatsIn } from '../../store/conversations/due-chats.ts';
import { credentialRowsIn } from '../../store/devices/credentials.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import { moveInsIn } from '../../store/devices/move-ins.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import { deferredMediaIn } from '../../store/messaging/deferred-media.ts';
import { retentionIn } from '../../store/privacy/retention.ts';
import { sendQueueIn } from '../../store/sending/send-queue.ts';
import type { BillingServices } from './billing.ts';
import type { IdentityServices } from './identities.ts';
import type { PreviewServices } from './link-previews.ts';
import type { LiveServices } from './live.ts';
import type { NetworkFeatureServices } from './network-features.ts';
import type { SharedDeps } from './shared-deps.ts';
import type { TenantServices } from './tenants.ts';

export interface DeviceServices {
  removeDevice(device: DeviceRow): Promise<void>;
  readonly removedDevices: RemovedDevices;
  readonly moveIn: MoveInService;
  paceChanged(tenantId: string): void;
}

export interface DeviceParts
  extends IdentityServices,
    Pick<DeviceDeps, 'outboxHandlers' | 'officialDriver' | 'tell' | 'record' | 'keepFacts' | 'keepAnswer' | 'publications' | 'onCall'>,
    PreviewServices,
    Pick<BillingServices, 'billing'>,
    Pick<LiveServices, 'live'>,
    Pick<TenantServices, 'webhooks' | 'deliveries' | 'wakeups' | 'tenantHints'>,
    Pick<NetworkFeatureServices, 'groups' | 'channels' | 'channelIntents' | 'memberReceipts' | 'savedNames'> {
  forgetHooks(sessionId: string): Promise<void>;
}

/** Broadcast after a tenant's settings have changed, so that its devices on every node reread them. */
const PACE_CHANGED = 'device.pace_changed';
const NO_PAUSE: Pacing = { minDelayMs: 0, maxDelayMs: 0 };

export function startDevices(shared: SharedDeps, parts: DeviceParts): DeviceServices {
  const { config, clock, log, store, sealer, cluster, actors, everywhere, media, devices, messages, chats, tenants, consents, meters } =
    shared;
  const optedOut = createOptedOut({ consents, formsOf: parts.people.formsOf, identities: identitiesIn(store) });
  const credentialRows = sealedCredentials(credentialRowsIn(store), sealer);
  const pacingOf = async (tenantId: string): Promise<Pacing> => {
    const tenant = tenantId === PLATFORM ? null : await tenants.find(tenantId);
    return tenant ? pacingIn(settingsOf(tenant)) : NO_PAUSE;
  };
  const inTime = createInTime({ recipients: recipientsIn(store), campaignMessages: campaignMessagesIn(store) });
  everywhere.register(
    deviceKind({
      ...shared,
      ...parts,
      credentialRows,
      messages: withConsent(messages, { optedOut, inTime }),
      whyNot: createWhyNot({ optedOut, configs: consentConfigsIn(store) }),
      queue: sendQueueIn(store),
      files: messageFiles(media, shared.derived),
      loginRateLimiter: shared.loginRateLimiter,
      refusedForNow({ id, ...refused }) {
        meters.refusedForNow.add(`${refused.code}`);
        log.info({ event: 'message.refused_for_now', message: id, ...refused }, 'the network temporarily refused a message');
      },
      habits: config.network_habits,
      history: config.whatsapp_history,
      loginRefused: (reason) => meters.loginRefusals.add(reason),
      node: config.node_id,
      pacingOf,
      keptSince: messagesKeptSince({ retention: retentionIn(store), clock }),
      olderLoaded: olderLoaded({
        ...{ chats, olderRequests: dueChatsIn(store, 'older_until'), eventLog: { record: parts.record } },
        now: () => clock.now(),
      }),
      rememberChats: importChats({ chats, messages }, () => clock.now()),
      readElsewhere: readElsewhere({ chats, messages, people: parts.people }, () => clock.now()),
      keepChatMarks: keepChatMarks({ chats, messages, people: parts.people }),
      keepCleared: keepCleared({ chats, messages, people: parts.people }),
      keepSavedName: keepSavedName({ names: parts.savedNames, people: parts.people }),
      keepMemberReceipts: keepMemberReceipts({ messages, memberReceipts: parts.memberReceipts, people: parts.people }),
      presenceWatch: parts.live.presenceWatch,
      tellPresence: tellPresence({ people: parts.people, live: parts.live, clock }),
      mirrorChats: mirrorChats({ chats, messages, device: shared.device, log }),
      secrets: sealedMessageSecrets(sealer),
      deferredMedia: deferredMediaIn(store),
      chats,
      chatTimers: chatTimersIn(store),
      isPlatformChat: platformChats(devices, clock),
    }),
  );
  const failed = (cause: unknown, tenant: string): void =>
    log.warn({ event: 'device.settings_delayed', err: cause, tenant }, 'running devices will use new settings only after they reconnect');
  const changePace = createPaceChanges({ actors, clock, pacingOf, failed });
  cluster.wire.onBroadcast(PACE_CHANGED, (body) => changePace((body as { tenantId: string }).tenantId));

  const { groups, channels, channelIntents, messageActions } = parts;
  const forget = async (sessionId: string): Promise<void> => {
    await groups.forget(sessionId);
    await channels.forget(sessionId);
    await channelIntents.forget(sessionId);
    await parts.savedNames.forget(sessionId);
    await messageActions.forget(sessionId);
    await shared.builds.departed(sessionId);
    await parts.forgetHooks(sessionId);
  };

  return {
    removeDevice: createRemoval({ devices, credentialRows, tell: parts.tell, forget, clock }),
    removedDevices: createRemovedDevices({
      ...{ ...shared, outboxHandlers: parts.outboxHandlers, fitDevices: parts.billing.fitDevices },
      forgetWebhooks: (...which) => forgetWebhooks(parts, ...which),
    }),
    moveIn: createMoveIn({
      ...{ moveIns: moveInsIn(store), devices, credentialRows, device: shared.device },
      readerOf: config.network === 'whatsapp' ? movedLoginReader : (format) => sandboxLoginReader(format),
    }),
    paceChanged: (tenantId) => cluster.wire.broadcast(PACE_CHANGED, { tenantId }),
  };
}
