import { inSession } from '../params.ts';
import { GroupId } from './schemas.ts';

export const inGroup = inSession.keys({
  groupId: GroupId.pattern(/^\d[\d-]*@g\.us$/)
    .required()
    .description("The group's address"),
});
