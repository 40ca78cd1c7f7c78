import type { Logger } from 'pino';
import type { CampaignCommand } from '../../actors/campaign/protocol.ts';
import { campaignActorId, campaignKind } from '../../actors/campaign/register.ts';
import { planFor } from '../../actors/domain/plans.ts';
import type { AuditTrail } from '../../actors/services/audit/audit-trail.ts';
import { type Audiences, createAudiences } from '../../actors/services/campaigns/audiences.ts';
import { createDraftLists } from '../../actors/services/campaigns/campaigns.ts';
import { noteReplies } from '../../actors/services/campaigns/note-replies.ts';
import type { PreviewDeps } from '../../actors/services/campaigns/preview.ts';
import { createRoutes } from '../../actors/services/campaigns/routes.ts';
import { createTemplateTrouble } from '../../actors/services/campaigns/template-trouble.ts';
import { updateRecipients } from '../../actors/services/campaigns/update-recipients.ts';
import { createWrittenLately } from '../../actors/services/campaigns/written-lately.ts';
import type { ConsentMatchers } from '../../actors/services/consent/config.ts';
import { createOptedOut } from '../../actors/services/consent/opted-out.ts';
import type { AudienceDeps } from '../../actors/services/contacts/audience.ts';
import type { IdentityResolver } from '../../actors/services/identities/identities.ts';
import type { PersonReader } from '../../actors/services/identities/person-reader.ts';
import type { Live } from '../../actors/services/live/live.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { Quota } from '../../actors/services/messaging/quota.ts';
import { createPriceBook, type PriceBook } from '../../actors/services/official/prices.ts';
import type { ActorRef } from '../../runtime/actor-system/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClusterActors } from '../../runtime/cluster/cluster-actors.ts';
import type { FairSlots } from '../../runtime/fair-slots.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import type { Usage } from '../../store/accounts/usage.ts';
import { type OfficialPrices, officialPricesIn } from '../../store/billing/official-prices.ts';
import { type CampaignMessages, campaignMessagesIn } from '../../store/campaigns/campaign-messages.ts';
import { type CampaignRow, type Campaigns, campaignsIn } from '../../store/campaigns/campaigns.ts';
import { type DraftReservations, draftReservationsIn } from '../../store/campaigns/draft-reservations.ts';
import { type Recipients, recipientsIn } from '../../store/campaigns/recipients.ts';
import { consentConfigsIn } from '../../store/consent/consent-configs.ts';
import type { Consents } from '../../store/consent/consents.ts';
import { labelsIn } from '../../store/contacts/labels.ts';
import { chatsIn } from '../../store/conversations/chats.ts';
import type { DeviceRow, Devices } from '../../store/devices/devices.ts';
import { officialMonthsIn } from '../../store/devices/official-months.ts';
import { officialNumbersIn } from '../../store/devices/official-numbers.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import type { Store } from '../../store/port.ts';
import { rotatorsIn } from '../../store/scheduling/rotators.ts';
import type { Config } from './config.ts';
import { countedCampaignMessages, type Meters } from './metrics/meters.ts';

export interface CampaignServices {
  readonly campaigns: Campaigns;
  readonly recipients: Recipients;
  readonly campaignMessages: CampaignMessages;
  readonly audiences: Audiences;
  readonly reservations: DraftReservations;
  readonly draftLists: FairSlots;
  campaign(row: Pick<CampaignRow, 'tenant_id' | '_id'>): ActorRef<CampaignCommand>;
  readonly followRecipients: OutboxHandler;
  readonly noteReplies: OutboxHandler;
  readonly previewDeps: PreviewDeps;
  readonly officialPrices: OfficialPrices;
  readonly priceBook: PriceBook;
  campaignsChanged(tenantId: string): void;
}

export interface CampaignParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly everywhere: ClusterActors;
  readonly devices: Devices;
  readonly tenants: Tenants;
  readonly crm: AudienceDeps;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly listeners: ConsentMatchers;
  readonly people: Pick<IdentityResolver, 'formsOf'>;
  readonly personReader: Pick<PersonReader, 'all'>;
  readonly live: Live;
  readonly audit: AuditTrail;
  readonly meters: Meters;
  hintDevice(device: DeviceRow): void;
}

export function startCampaigns(parts: CampaignParts): CampaignServices {
  const { config, clock, log, store, everywhere, devices, tenants, crm, quota, usage, consents, listeners, live, audit, meters } = parts;
  const campaigns = campaignsIn(store);
  const recipients = recipientsIn(store);
  const campaignMessages = countedCampaignMessages(campaignMessagesIn(store), meters);
  const consentConfigs = consentConfigsIn(store);
  const rotators = rotatorsIn(store);
  const audiences = createAudiences(crm);
  const { formsOf } = parts.people;
  const optedOut = createOptedOut({ consents, formsOf, identities: identitiesIn(store) });
  const officialPrices = officialPricesIn(store);
  const priceBook = createPriceBook(officialPrices, () => clock.now());
  const writtenLately = createWrittenLately({ devices, campaignMessages });
  const ofRotator = async (tenantId: string, id: string) => (await rotators.find(tenantId, id))?.session_ids ?? [];
  everywhere.register(
    campaignKind({
      campaigns,
      recipients,
      campaignMessages,
      tenants,
      routes: createRoutes(devices, officialNumbersIn(store).liftTrouble, ofRotator),
      templateTrouble: createTemplateTrouble(labelsIn(store).templates),
      quota,
      usage,
      live,
      audit,
      clock,
      log,
      node: config.node_id,
      audiences,
      hint: parts.hintDevice,
      requiresAttestation: async (tenantId) => (await consentConfigs.find(tenantId))?.config.require_attestation ?? false,
      planOf: async (tenantId) => planFor(config.plans, await tenants.find(tenantId)),
      optedOut,
      formsOf,
      writtenLately,
    }),
  );
  const campaign: CampaignServices['campaign'] = (row) => everywhere.ref('campaign', campaignActorId(row));

  function look(row: Pick<CampaignRow, 'tenant_id' | '_id'>): void {
    try {
      campaign(row).tell({ type: 'poll' });
    } catch {
      // The campaign's mailbox is full. The campaign will poll soon anyway.
    }
  }

  return {
    campaigns,
    recipients,
    campaignMessages,
    audiences,
    reservations: draftReservationsIn(store),
    officialPrices,
    priceBook,
    draftLists: createDraftLists(),
    campaign,
    followRecipients: updateRecipients(recipients, (tenant_id, _id) => look({ tenant_id, _id })),
    previewDeps: {
      chats: chatsIn(store),
      personReader: parts.personReader,
      audiences,
      optedOut,
      formsOf,
      writtenLately,
      tenants,
      quota,
      devices,
      ofRotator,
      priceBook,
      officialMonths: officialMonthsIn(store),
    },
    noteReplies: noteReplies({ recipients, campaignMessages, listeners, hint: (tenant_id, _id) => look({ tenant_id, _id }) }),

    campaignsChanged(tenant_id) {
      campaigns
        .hurry(tenant_id, clock.now())
        .then((running) => running.forEach(({ _id }) => void look({ tenant_id, _id })))
        .catch((cause) =>
          log.warn(
            { event: 'campaign.settings_delayed', err: cause, tenant: tenant_id },
            'campaigns will use new settings only after their next check',
          ),
        );
    },
  };
}
