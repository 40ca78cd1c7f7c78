import type { GroupRecord } from '../../../actors/network/groups.ts';
import { toMetadata } from '../../../actors/services/groups/metadata.ts';
import type { People } from '../../../actors/services/people/people.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { inGroup } from './params.ts';
import { GroupSchema } from './schemas.ts';

export interface GroupServices extends AskingServices {
  readonly groups: Groups<GroupRecord>;
  readonly persons: People;
}

const row = rowsFor<GroupServices>();

export const groups: Area<GroupServices> = {
  name: 'groups',
  about: 'Groups that a device is in, on the network',
  rows: [
    row({
      id: 'getGroup',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups/{groupId}',
      summary: 'Get a group',
      about: 'As the network has it now. 403 or 404 where the device is not a member',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inGroup,
      status: 200,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, caller, params }) {
        const group = await askNetwork(services, device, 'groups.get', { id: params.groupId });
        return toMetadata(services.persons, caller.tenantId, group, null);
      },
    }),
  ],
};
