import { businessProfile, setBusinessProfile, silence } from './business.ts';
import { blocklist, privacyOf, setBlocked, setPrivacy, setTimer, timerOf } from './privacy.ts';
import { pictureOf, removePicture, setAbout, setPicture } from './profiles.ts';
import type { Query } from './query.ts';

/** Queries about the account itself, by namespace/type/first child. */
export const ACCOUNT_QUERIES: Readonly<Record<string, Query>> = {
  'blocklist/get/': blocklist,
  'blocklist/set/item': setBlocked,
  'privacy/get/privacy': privacyOf,
  'privacy/set/privacy': setPrivacy,
  'disappearing_mode/get/disappearing_mode': timerOf,
  'disappearing_mode/set/disappearing_mode': setTimer,
  'w:profile:picture/get/picture': pictureOf,
  'w:profile:picture/set/picture': setPicture,
  'w:profile:picture/set/': removePicture,
  'status/set/status': setAbout,
  'w:biz/get/business_profile': businessProfile,
  'w:biz/set/business_profile': setBusinessProfile,
  'w:biz:catalog/get/product_catalog': silence,
  'w:biz:catalog/get/collections': silence,
  'w:biz:catalog/set/product_catalog_add': silence,
  'w:biz:catalog/set/product_catalog_edit': silence,
  'w:biz:catalog/set/product_catalog_delete': silence,
};
