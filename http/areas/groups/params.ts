import Joi from 'joi';
import { inSession } from '../params.ts';
import { GroupId } from './schemas.ts';

const ADDRESS = /^\d[\d-]*@g\.us$/;

export const GroupAddress = GroupId.pattern(ADDRESS);

export const inGroup = inSession.keys({ groupId: GroupAddress.required().description("The group's address") });
export const inCommunity = inSession.keys({ communityId: GroupAddress.required().description("The community's address") });
export const byCode = inSession.keys({
  code: Joi.string()
    .pattern(/^[\w-]{4,64}$/)
    .required()
    .description('The code of the invitation link')
    .example('AbCdEfGhIjKlMnOpQrStUv'),
});
