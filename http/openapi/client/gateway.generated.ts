// Generated from the rows by `npm run client`. A test says when it is stale.

/** Every record, request and answer by its name. */
export interface Schemas {
  AccountDeletion: { "requested_at": number; "effective_at": number };
  AccountPrivacy: { "last_seen": "all" | "contacts" | "none" | null; "online": "all" | "contacts" | "none" | null; "picture": "all" | "contacts" | "none" | null; "about": "all" | "contacts" | "none" | null; "status": "all" | "contacts" | "none" | null; "groups": "all" | "contacts" | "none" | null; "calls": "all" | "contacts" | "none" | null; "read_receipts": boolean; "default_timer": 0 | 86400 | 604800 | 7776000 };
  Ad: { "title": string | null; "body": string | null; "source_url": string | null; "source_id": string | null; "ctwa": string | null };
  AddBlastRecipientsRequest: { "recipients": (Schemas['RecipientInput'])[] };
  AddChatNoteRequest: { "text": string };
  AddCommunityGroupRequest: { "group_id"?: string; "subject"?: string };
  AddDocumentPageRequest: { "url": string };
  AddPasskeyRequest: { "name": string; "credential": { "id": string; "rawId": string; "type": "public-key"; "authenticatorAttachment"?: string | null; "clientExtensionResults": Record<string, unknown>; "response": { "clientDataJSON": string; "attestationObject": string; "transports"?: (string)[] } } };
  AdminHealth: { "ffmpeg": Schemas['Ffmpeg']; "media_worker": Schemas['MediaWorker']; "isolation": Schemas['Isolation'] };
  AdminInvoice: { "id": string | null; "number": string | null; "status": "open" | "paid" | "expired" | "void" | "refunded" | "disputed"; "plan": string; "provider": "midtrans" | "xendit" | "stripe" | "sandbox"; "currency": "IDR" | "USD"; "amount": number; "lines": (Schemas['InvoiceLine'])[]; "payment_url": string | null; "period_start": number | null; "period_end": number | null; "created_at": number; "expires_at": number; "paid_at": number | null; "tenant_id": string; "payments": ({ "id": string; "amount": number | null; "currency": string; "at": number; "became": "settlement" | "credit" | "rejected"; "reason": string | null; "refunded": number; "dispute": "open" | "won" | "lost" | null })[] };
  AdminTenantHealth: { "tenant_id": string; "name": string; "days": 7 | 30 | 90; "timezone": string; "devices": ({ "id": string; "name": string | null; "phone": string | null; "status": "pending" | "qr_ready" | "connected" | "disconnected" | "failed"; "connected_at": number | null; "last_active_at": number | null; "down": boolean })[]; "totals": { "sent": number; "received": number; "failed": number; "delivered": number; "read": number; "failure_rate": number | null }; "daily": ({ "date": string; "sent": number; "received": number; "failed": number })[]; "signs": (Schemas['HealthSign'])[] };
  Agent: { "id": string; "name": string; "phone": string; "is_active": boolean; "online": boolean; "last_seen_at": number | null; "created_at": number; "updated_at": number };
  AgentAnswers: { "id": string; "name": string | null; "chats": number; "first_reply_median_ms": number | null };
  AiAnswer: { "answer": string | null; "sources": (Schemas['AiSource'])[]; "score": number; "threshold": number; "engine": "engine_a" | "local"; "reason": string };
  AiFacts: { "engine": "engine_a" | "local"; "score": number; "threshold": number; "sources": (Schemas['AiSource'])[] };
  AiReply: { "enabled": boolean; "session_ids": (string)[] | null; "persona": string; "language": "auto" | "en" | "id"; "handoff_keywords": (string)[]; "only_when": "always" | "outside_hours" | "unassigned"; "max_per_chat_hour": number; "threshold": number | null; "quota": Schemas['QuotaUse']; "engine": { "name": "engine_a" | "local"; "ready": boolean }; "quality": { "answered": number; "right": number; "false": number } };
  AiSource: { "kind": "answer" | "document"; "id": string; "name": string; "text": string; "score": number };
  AlbumItemInput: { "media_r2_key"?: string; "url"?: string; "caption"?: string };
  AnalyticsAnswers: { "agents": (Schemas['AgentAnswers'])[]; "ai": { "answered": number; "handed_over": number; "silent": number }; "auto_replies": { "matched": number } };
  AnalyticsCost: { "session_id": string; "category": string; "country": string | null; "currency": string | null; "billed": number; "free": number; "amount": number | null };
  AnalyticsDay: { "date": string; "sent": number; "received": number; "delivered": number; "read": number; "failed": number };
  AnalyticsItem: { "id": string; "name": string | null; "sent": number; "received": number; "delivered": number; "read": number; "failed": number; "delivery_rate": number | null; "read_rate": number | null; "reply_rate": number | null; "opt_outs": number; "new_contacts": number | null; "active_chats": number; "median_first_reply_ms": number | null };
  AnalyticsOverview: { "sent": { "value": number; "previous": number }; "received": { "value": number; "previous": number }; "delivered": { "value": number; "previous": number }; "read": { "value": number; "previous": number }; "failed": { "value": number; "previous": number }; "delivery_rate": { "value": number | null; "previous": number | null }; "read_rate": { "value": number | null; "previous": number | null }; "reply_rate": { "value": number | null; "previous": number | null }; "opt_outs": { "value": number; "previous": number }; "new_contacts": { "value": number | null; "previous": number | null }; "active_chats": { "value": number; "previous": number }; "median_first_reply_ms": { "value": number | null; "previous": number | null } };
  AnswerGroupRequestsRequest: { "action": "approve" | "reject"; "phones": (string)[] };
  AnswerPasskeyCeremonyRequest: { "credential"?: Schemas['LinkingCredentialInput']; "confirmed"?: true };
  AnswerPasskeyRequest: { "credential": Schemas['LinkingCredentialInput'] };
  AnswerUnansweredRequest: { "answer": string; "send"?: boolean };
  ApiKey: { "id": string; "name": string; "prefix": string; "session_ids": (string)[] | null; "scopes": ("read" | "send" | "manage")[]; "allowed_ips": (string)[] | null; "rate_limit_per_minute": number; "primary": boolean; "last_used_at": number | null; "created_at": number; "expires_at": number | null; "revoked_at": number | null };
  ApplyOnboardingPackRequest: { "session_id"?: string; "language"?: "en" | "id" };
  ApplyOnboardingPackResponse: { "templates": number; "tags": number; "auto_replies": number };
  AskAiRequest: { "question": string };
  AssertionResponseInput: { "clientDataJSON": string; "authenticatorData": string; "signature": string; "userHandle"?: string | null };
  AssignChatRequest: { "agent_id": string | null };
  Assignment: { "mode": "manual" | "round_robin" | "least_busy"; "only_online": boolean };
  AttentionItem: { "kind": "failed_messages" | "device" | "waiting_chats" | "quota" | "store" | "webhook" | "document" | "setup"; "count": number; "oldest_at": number | null; "ref": { "kind": "session" | "store" | "webhook" | "document"; "id": string } | null };
  Attribute: { "id": string; "key": string; "label": string; "type": "text" | "number" | "date" | "boolean"; "created_at": number; "updated_at": number };
  AuditEntry: { "id": string; "seq": number; "at": number; "actor": { "kind": "owner" | "agent" | "key" | "operator" | "system"; "id": string | null; "name": string | null }; "auth": "otp" | "totp" | "passkey" | "api_key" | "secret" | null; "address": string | null; "request_id": string | null; "action": string; "target": { "kind": string; "id": string | null }; "result": "ok" | "refused"; "code": string | null; "changes": ({ "field": string; "from": unknown; "to": unknown })[] };
  AuditVerdict: { "ok": boolean; "from_seq": number; "to_seq": number; "first_bad_seq": number | null; "faults"?: ({ "seq": number; "fault": "changed" | "moved" | "missing" | "detail_removed" | "unreadable" | "cut_off" | "head_missing" | "anchor_changed" | "log_missing" })[] };
  AuthSuccess: { "token": string; "refresh_token": string; "role": "admin" | "agent"; "agent_id": string; "agent_name": string };
  AutoReplyRule: { "id": string; "session_id": string; "name": string; "trigger_type": "any" | "keyword" | "contains" | "regex"; "trigger_text": string | null; "match_case": 0 | 1; "reply_type": "text" | "image" | "document" | "audio" | "video" | "sticker"; "reply_body": string | null; "reply_r2_key": string | null; "reply_caption": string | null; "cooldown_ms": number; "priority": number; "is_active": 0 | 1; "created_at": number };
  Billing: { "plan": string; "status": "free" | "active" | "past_due" | "grace"; "period_start": number | null; "period_end": number | null; "cancel_at_period_end": boolean; "pending_plan": string | null; "credit": { "amount": number; "currency": "IDR" | "USD" }; "overage": { "messages": number; "amount": number; "currency": "IDR" | "USD" }; "quota": { "used": number; "limit": number; "resets_at": number }; "paused_devices": (string)[] };
  BlastCampaign: { "id": string; "session_id": string | null; "rotator_id": string | null; "name": string; "status": "draft" | "running" | "paused" | "completed" | "failed" | "cancelled"; "body": string | null; "message_type": string; "template_id": string | null; "variables": Record<string, unknown> | null; "media_r2_key": string | null; "caption": string | null; "segment_id": string | null; "tag": string | null; "tags": (string)[]; "group_id": string | null; "all_contacts": boolean; "exclude_tags": (string)[]; "skip_if_messaged_within_hours": number | null; "total_recipients": number; "sent_count": number; "failed_count": number; "skipped_count": number; "delivered_count": number; "read_count": number; "replied_count": number; "opted_out_count": number; "skipped": Record<string, number>; "resend_of": string | null; "created_at": number; "scheduled_at": number | null; "started_at": number | null; "completed_at": number | null; "consent_attested_at": number | null; "resumes_at": number | null; "pause_reason": string | null; "error": string | null; "warnings"?: (Schemas['TokenWarning'])[] };
  BlastPreview: { "recipients": number; "skipped": { "opted_out": number; "invalid": number; "ambiguous": number; "duplicate": number; "no_number": number; "excluded": number; "recently_messaged": number; "text_too_long": number; "empty_text": number; "window_closed"?: number; "no_template_value"?: number }; "unknown_tokens": (string)[]; "sample": ({ "person": { "phone": string | null; "lid": string | null; "username": string | null; "name": string | null }; "text": string | null; "missing": (string)[] })[]; "starts_at": number | null; "ends_at": number | null; "quota_left": number | null; "cost_estimate": Schemas['CostEstimate'] | null; "as_of": number };
  BlastRecipient: { "id": string; "phone": string | null; "lid": string | null; "username": string | null; "name": string | null; "status": "pending" | "queued" | "sent" | "delivered" | "read" | "failed" | "skipped"; "error": string | null; "readings"?: (string)[]; "session_id": string | null; "message_id": string | null; "sent_at": number | null; "delivered_at": number | null; "read_at": number | null };
  BlockPersonRequest: { "phone": string };
  BrowserLogin: { "token": string; "expires_at": number; "role": "admin" | "agent"; "agent_id": string; "agent_name": string };
  BulkResult: { "id": string | null; "status": "queued" | "running" | "done" | "failed"; "changed": number };
  BusinessProfile: { "business_name": string | null; "country": string; "timezone": string; "locale": "en" | "id"; "industry": "ecommerce" | "retail" | "restaurant" | "healthcare" | "beauty" | "fitness" | "education" | "real_estate" | "automotive" | "travel" | "hospitality" | "logistics" | "finance" | "insurance" | "saas" | "professional_services" | "events" | "nonprofit" | "government" | "other" | null; "currency": "IDR" | "USD"; "configured": boolean; "calling_code": string; "suggested_timezones": (string)[]; "industries": (string)[]; "locales": (string)[] };
  CallRules: { "reject": boolean; "reject_text": string | null; "warnings"?: (Schemas['TokenWarning'])[] };
  Capabilities: { "groups": true | Schemas['Unavailable']; "communities": true | Schemas['Unavailable']; "channels": true | Schemas['Unavailable']; "business": true | Schemas['Unavailable']; "catalog": true | Schemas['Unavailable']; "labels": true | Schemas['Unavailable']; "account": true | Schemas['Unavailable']; "people": true | Schemas['Unavailable']; "blocklist": true | Schemas['Unavailable']; "status": true | Schemas['Unavailable']; "calls": true | Schemas['Unavailable'] };
  ChangeAiReplyRequest: { "enabled"?: boolean; "session_ids"?: (string)[] | null; "persona"?: string; "language"?: "auto" | "en" | "id"; "handoff_keywords"?: (string)[]; "only_when"?: "always" | "outside_hours" | "unassigned"; "max_per_chat_hour"?: number; "threshold"?: number | null };
  ChangeAttributeRequest: { "label"?: string; "type"?: "text" | "number" | "date" | "boolean" };
  ChangeAutoReplyRequest: { "name"?: string; "trigger_type"?: "any" | "keyword" | "contains" | "regex"; "trigger_text"?: string | null; "match_case"?: boolean | 1 | 0 | "true" | "false" | "1" | "0"; "reply_type"?: "text" | "image" | "document" | "audio" | "video" | "sticker"; "reply_body"?: string | null; "reply_r2_key"?: string | null; "reply_caption"?: string | null; "cooldown_ms"?: number; "priority"?: number; "is_active"?: boolean | 1 | 0 | "true" | "false" | "1" | "0" };
  ChangeAutoReplyResponse: { "ok": true; "warnings"?: (Schemas['TokenWarning'])[] };
  ChangeBlastRequest: { "session_id"?: string; "rotator_id"?: string; "name"?: string; "message_type"?: "text" | "image" | "document" | "audio" | "video" | "sticker"; "body"?: string; "template_id"?: string; "variables"?: Record<string, string>; "media_r2_key"?: string; "caption"?: string; "segment_id"?: string; "tag"?: string; "tags"?: (string)[]; "group_id"?: string; "all_contacts"?: true; "exclude_tags"?: (string)[]; "skip_if_messaged_within_hours"?: number | null; "scheduled_at"?: number | null; "consent_attested"?: boolean };
  ChangeChatRequest: { "status"?: "open" | "pending" | "resolved"; "agent_id"?: string | null; "pinned"?: boolean; "archived"?: boolean; "muted_until"?: number | null; "unread"?: boolean; "tags"?: (Schemas['ChatTagInput'])[]; "add_tags"?: (Schemas['ChatTagInput'])[]; "ephemeral"?: 0 | 86400 | 604800 | 7776000; "snoozed_until"?: number | null };
  ChangeContactGroupRequest: { "name"?: string };
  ChangeContactRequest: { "phone"?: string; "name"?: string | null; "var1"?: string | null; "var2"?: string | null; "var3"?: string | null; "var4"?: string | null; "var5"?: string | null; "group_id"?: string | null; "tags"?: (string)[]; "attrs"?: Record<string, string | null>; "add_tags"?: (string)[] };
  ChangeContactsRequest: { "action": "tag" | "untag" | "set_group" | "delete"; "ids"?: (string)[]; "segment_id"?: string; "value"?: string | null };
  ChangeGroupMembersRequest: { "action": "add" | "remove" | "promote" | "demote"; "participants": (string)[]; "invite_refused"?: boolean };
  ChangeGroupMembersResponse: { "results": (Schemas['MemberResult'])[] };
  ChangeRecurringRequest: { "name"?: string; "targets"?: (string)[]; "message"?: string | null; "media_r2_key"?: string | null; "template_id"?: string; "variables"?: Record<string, string>; "schedule_type"?: "daily" | "weekly" | "monthly" | "interval"; "schedule_config"?: Schemas['ScheduleConfigInput']; "timezone"?: string | null; "is_active"?: boolean };
  ChangeRotatorRequest: { "name"?: string; "session_ids"?: (string)[]; "strategy"?: "round_robin" | "least_recent" | "random" };
  ChangeSavedAnswerRequest: { "question"?: string; "answer"?: string };
  ChangeScheduledRequest: { "chat_id"?: string; "recipient"?: Schemas['RecipientWithoutNumberInput']; "type"?: "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact"; "body"?: string; "media_r2_key"?: string; "url"?: string; "filename"?: string; "caption"?: string; "voice_note"?: boolean; "convert"?: boolean; "gif"?: boolean; "round"?: boolean; "view_once"?: boolean; "hd"?: boolean; "sticker"?: Schemas['StickerPackInput']; "location"?: Schemas['LocationInput']; "poll_name"?: string; "choices"?: (string)[]; "contact"?: Schemas['ContactCardInput']; "reply_to"?: string; "country_code"?: string; "priority"?: number; "mentions"?: (string)[]; "link_preview"?: boolean | Schemas['LinkPreviewInput']; "template_id"?: string; "variables"?: Record<string, string>; "scheduled_at"?: number };
  ChangeSegmentRequest: { "name"?: string; "rules"?: Schemas['SegmentRulesInput'] };
  ChangeStoreRequest: { "name"?: string; "session_id"?: string | null; "secret"?: string; "enabled"?: boolean; "templates"?: { "order_created"?: Schemas['StoreTemplateInput']; "order_paid"?: Schemas['StoreTemplateInput']; "order_shipped"?: Schemas['StoreTemplateInput']; "abandoned_checkout"?: Schemas['StoreTemplateInput'] }; "abandoned_delay_min"?: number; "abandoned_only_marketing"?: boolean };
  ChangeStoreResponse: { "integration": Schemas['StoreIntegration'] };
  ChangeTagRequest: { "name"?: string; "color"?: string };
  ChangeTemplateRequest: { "name"?: string; "message_type"?: "text" | "image" | "video" | "audio" | "document" | "sticker"; "body"?: string | null; "media_r2_key"?: string | null; "caption"?: string | null; "language"?: string };
  Channel: { "id": string; "name": string; "description": string | null; "role": "owner" | "admin" | "follower" | null; "muted": boolean; "followers": number; "code": string | null };
  ChannelFollower: { "phone": string | null; "lid": string | null; "username": string | null; "name": string | null; "role": "owner" | "admin" | "follower" | null };
  ChannelPost: { "message_id": string | null; "server_id": string; "type": string | null; "body": string | null; "views": number | null; "reactions": Record<string, number>; "created_at": number };
  ChatLabel: { "id": string; "name": string; "color": number };
  ChatNote: { "id": string; "text": string; "author": string | null; "created_at": number | null };
  ChatTag: { "name": string; "color": string };
  ChatTagInput: { "name": string; "color": string };
  CheckMoveInResponse: { "accepted": Record<string, number>; "dropped": (Schemas['DroppedRecord'])[]; "ignored": Record<string, number>; "phone": string; "warnings": ({ "code": string; "message": string })[] };
  CheckoutRequest: { "plan": string; "provider": string; "currency"?: "IDR" | "USD"; "preview"?: boolean };
  CheckoutResponse: { "invoice": Schemas['Invoice'] | null; "payment_url"?: string | null };
  ClearQueueResponse: { "ok": true; "cancelled": number };
  ClientBuild: { "version": string; "running": ({ "version": string; "devices": number })[]; "source": "pinned" | "built_in" | "looked_up"; "age_days": number; "expires_at": number | null; "refused": ({ "version": string; "code": number; "at": number })[]; "canary": { "session_id": string; "version": string; "since": number } | null };
  CommunityGroup: { "id": string; "subject": string; "size": number | null; "announcement": boolean };
  ConnectStoreRequest: { "platform": "platform_a" | "platform_b"; "name": string; "session_id"?: string | null; "secret"?: string };
  ConnectStoreResponse: { "integration": Schemas['StoreIntegration']; "secret"?: string };
  ConsentConfig: { "enabled": boolean; "optout_keywords": (string)[]; "optin_keywords": (string)[]; "optout_reply": string | null; "optin_reply": string | null; "enforce_api": boolean; "require_attestation": boolean; "warnings"?: (Schemas['TokenWarning'])[] };
  ConsentHistoryEntry: { "status": "opted_in" | "opted_out"; "source": "keyword" | "dashboard" | "import" | "api" | "network" | "privacy_erasure"; "note": string | null; "at": number };
  ConsentRecord: { "chat_id": string; "phone": string | null; "lid": string | null; "username": string | null; "name": string | null; "status": "opted_in" | "opted_out"; "source": "keyword" | "dashboard" | "import" | "api" | "network" | "privacy_erasure"; "note": string | null; "created_at": number; "updated_at": number };
  Contact: { "id": string; "phone": string | null; "lid": string | null; "username": string | null; "country": string | null; "name": string | null; "var1": string | null; "var2": string | null; "var3": string | null; "var4": string | null; "var5": string | null; "group_id": string | null; "tags": (string)[]; "attrs": Record<string, string>; "last_message_at": number | null; "consent": "opted_in" | "opted_out" | null; "created_at": number; "updated_at": number };
  ContactCardInput: { "name": string; "phone": string };
  ContactGroup: { "id": string; "name": string; "created_at": number; "updated_at": number };
  ContactImport: { "id": string; "status": "queued" | "running" | "done" | "failed"; "total": number; "created": number; "updated": number; "invalid": number; "opted_in": number; "opted_out": number; "opt_outs_lifted": number; "opt_outs_kept": number; "merged": number; "ignored": (string)[]; "decisions": ({ "column": string; "as": string })[]; "errors": (Schemas['ContactImportError'])[] };
  ContactImportError: { "row": number; "field": string; "error": string; "code": string; "readings"?: (string)[] };
  ContactImportPreview: { "columns": ({ "header": string; "samples": (string)[]; "as": string | null; "why": string })[]; "rows": number; "first": ({ "phone": string | null; "lid": string | null; "username": string | null; "name": string | null; "vars": Record<string, string>; "group": string | null; "tags": (string)[]; "attrs": Record<string, string>; "consent": "opted_in" | "opted_out" | null })[]; "problems": (Schemas['ContactImportError'])[] };
  ContentButtonAnswer: { "id"?: string | null; "text"?: string | null; "name"?: string | null; "index"?: number | null; "params"?: unknown };
  ContentCallLink: { "title"?: string | null; "at"?: number | null; "url"?: string | null; "video"?: boolean };
  ContentChannelInvite: { "channel_id"?: string | null; "name"?: string | null; "caption"?: string | null; "expires_at"?: number | null };
  ContentComment: { "target"?: string | null };
  ContentEvent: { "name"?: string | null; "description"?: string | null; "url"?: string | null; "starts_at"?: number | null; "ends_at"?: number | null; "canceled"?: boolean };
  ContentGroupInvite: { "group_id"?: string | null; "code"?: string | null; "name"?: string | null; "caption"?: string | null; "expires_at"?: number | null };
  ContentInteractive: { "title"?: string | null; "body"?: string | null; "footer"?: string | null; "buttons"?: (Record<string, unknown>)[]; "button"?: string | null; "cards"?: (Record<string, unknown>)[] };
  ContentListAnswer: { "id"?: string | null; "title"?: string | null; "description"?: string | null };
  ContentOrder: { "order_id"?: string | null; "title"?: string | null; "message"?: string | null; "items"?: number | null; "status"?: string | null; "seller"?: string | null; "token"?: string | null; "total"?: number | null; "currency"?: string | null };
  ContentPayment: { "action"?: string | null; "amount"?: number | null; "currency"?: string | null; "note"?: string | null; "expires_at"?: number | null };
  ContentProduct: { "product_id"?: string | null; "title"?: string | null; "description"?: string | null; "retailer_id"?: string | null; "url"?: string | null; "price"?: number | null; "sale_price"?: number | null; "currency"?: string | null; "seller"?: string | null; "body"?: string | null; "footer"?: string | null };
  ContentProductQuestion: { "product_id"?: string | null; "title"?: string | null; "description"?: string | null; "retailer_id"?: string | null; "url"?: string | null; "price"?: number | null; "sale_price"?: number | null; "currency"?: string | null; "seller"?: string | null };
  ContentStickerPack: { "name"?: string | null; "publisher"?: string | null; "caption"?: string | null; "stickers"?: number | null };
  ContentSystem: { "event"?: string | null };
  ContentTemplate: { "title"?: string | null; "body"?: string | null; "footer"?: string | null; "buttons"?: (Record<string, unknown>)[] };
  ContentUnsupported: { "field"?: number | null };
  ContentViewOnce: { "media"?: string | null };
  CostEstimate: { "amount": number | null; "currency": string | null; "rows": ({ "country": string | null; "category": string; "messages": number; "amount": number | null })[] };
  CreateAgentRequest: { "name": string; "phone": string };
  CreateApiKeyRequest: { "name": string; "session_ids"?: (string)[] | null; "scopes"?: ("read" | "send" | "manage")[]; "allowed_ips"?: (string)[] | null; "rate_limit_per_minute"?: number; "expires_at"?: number | null };
  CreateAttributeRequest: { "key": string; "label"?: string; "type"?: "text" | "number" | "date" | "boolean" };
  CreateAutoReplyRequest: { "name": string; "trigger_type": "any" | "keyword" | "contains" | "regex"; "trigger_text"?: string | null; "match_case"?: boolean | 1 | 0 | "true" | "false" | "1" | "0"; "reply_type"?: "text" | "image" | "document" | "audio" | "video" | "sticker"; "reply_body"?: string | null; "reply_r2_key"?: string | null; "reply_caption"?: string | null; "cooldown_ms"?: number; "priority"?: number; "is_active"?: boolean | 1 | 0 | "true" | "false" | "1" | "0" };
  CreateAutoReplyResponse: { "id": string; "warnings"?: (Schemas['TokenWarning'])[] };
  CreateBlastRequest: { "session_id"?: string; "rotator_id"?: string; "name": string; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker"; "body"?: string; "template_id"?: string; "variables"?: Record<string, string>; "media_r2_key"?: string; "caption"?: string; "segment_id"?: string; "tag"?: string; "tags"?: (string)[]; "group_id"?: string; "all_contacts"?: true; "exclude_tags"?: (string)[]; "skip_if_messaged_within_hours"?: number | null; "scheduled_at"?: number | null; "consent_attested"?: boolean; "recipients"?: (Schemas['RecipientInput'])[] };
  CreateChannelRequest: { "name": string; "description"?: string | null; "picture"?: string };
  CreateChatLabelRequest: { "name": string; "color"?: number };
  CreateCommunityRequest: { "subject": string; "description"?: string | null };
  CreateContactGroupRequest: { "name": string };
  CreateContactRequest: { "phone"?: string; "lid"?: string; "username"?: string; "name"?: string | null; "var1"?: string | null; "var2"?: string | null; "var3"?: string | null; "var4"?: string | null; "var5"?: string | null; "group_id"?: string | null; "tags"?: (string)[]; "attrs"?: Record<string, string | null> };
  CreateEventsTicketRequest: { "events"?: ("message.received" | "message.sent" | "message.failed" | "session.connected" | "session.disconnected" | "session.alert" | "qr.generated" | "message.delivered" | "message.read" | "message.reaction" | "message.edited" | "message.deleted" | "poll.vote" | "call.received" | "call.ended" | "consent.changed" | "contact.merged" | "chat.assigned" | "chat.snooze_ended" | "history.loaded" | "session.restricted" | "session.passkey" | "session.health" | "template.updated" | "group.joined" | "group.left" | "group.updated" | "group.participants" | "group.join_request" | "label.updated" | "label.deleted" | "label.assigned" | "label.unassigned" | "blocklist.changed" | "account.updated" | "channel.joined" | "channel.left" | "channel.updated" | "channel.stats" | "status.failed" | "store.event" | "quota.warning" | "invoice.paid" | "invoice.refunded" | "invoice.disputed" | "plan.changed" | "ai.paused" | "privacy.erased" | "audit.head" | "health.changed" | "security.sign_in" | "security.key_created" | "security.webhook_created" | "security.two_factor_changed" | "security.access_changed" | "security.data_exported" | "security.data_deleted" | "webhook.test" | "blast.progress" | "blast.waiting" | "blast.paused" | "blast.completed" | "scheduled.sent" | "recurring.executed" | "chat.presence")[] };
  CreateEventsTicketResponse: { "url": string };
  CreateGroupRequest: { "subject": string; "participants": (string)[] };
  CreateProductRequest: { "name": string; "description"?: string; "price"?: number; "currency"?: string; "retailerId"?: string; "url"?: string; "isHidden"?: boolean };
  CreateRecurringRequest: { "name": string; "targets": (string)[]; "message"?: string | null; "media_r2_key"?: string | null; "template_id"?: string; "variables"?: Record<string, string>; "schedule_type": "daily" | "weekly" | "monthly" | "interval"; "schedule_config"?: Schemas['ScheduleConfigInput']; "timezone"?: string | null; "is_active"?: boolean };
  CreateRotatorRequest: { "name": string; "session_ids": (string)[]; "strategy"?: "round_robin" | "least_recent" | "random" };
  CreateSavedAnswerRequest: { "question": string; "answer": string };
  CreateSegmentRequest: { "name": string; "rules": Schemas['SegmentRulesInput'] };
  CreateSessionRequest: { "name"?: string | null; "proxy_url"?: string | null; "official"?: Schemas['OfficialKeysInput'] };
  CreateTagRequest: { "name": string; "color"?: string };
  CreateTemplateRequest: { "name"?: string; "message_type"?: "text" | "image" | "video" | "audio" | "document" | "sticker"; "body"?: string | null; "media_r2_key"?: string | null; "caption"?: string | null; "language"?: string; "official"?: Schemas['NewOfficialTemplateInput'] };
  CreateUploadUrlRequest: { "filename": string; "content_type": string; "size": number };
  CreateUploadUrlResponse: { "key": string; "url": string; "expires_at": number };
  CreateWebhookRequest: { "url": string; "secret": string; "events": ("message.received" | "message.sent" | "message.failed" | "session.connected" | "session.disconnected" | "session.alert" | "qr.generated" | "message.delivered" | "message.read" | "message.reaction" | "message.edited" | "message.deleted" | "poll.vote" | "call.received" | "call.ended" | "consent.changed" | "contact.merged" | "chat.assigned" | "chat.snooze_ended" | "history.loaded" | "session.restricted" | "session.passkey" | "session.health" | "template.updated" | "group.joined" | "group.left" | "group.updated" | "group.participants" | "group.join_request" | "label.updated" | "label.deleted" | "label.assigned" | "label.unassigned" | "blocklist.changed" | "account.updated" | "channel.joined" | "channel.left" | "channel.updated" | "channel.stats" | "status.failed" | "store.event" | "quota.warning" | "invoice.paid" | "invoice.refunded" | "invoice.disputed" | "plan.changed" | "ai.paused" | "privacy.erased" | "audit.head" | "health.changed" | "security.sign_in" | "security.key_created" | "security.webhook_created" | "security.two_factor_changed" | "security.access_changed" | "security.data_exported" | "security.data_deleted" | "webhook.test")[]; "format"?: "gateway" | "evolution" | "waha"; "session_id"?: string };
  DeleteAccountRequest: { "confirm"?: boolean };
  DeviceHistory: { "months": number | null };
  DeviceHistoryInput: { "months": number };
  Done: { "ok": true };
  DroppedRecord: { "kind": string; "id": string; "why": "bad_id" | "bad_value" | "contradiction" | "duplicate" | "too_deep" | "too_long" | "too_many" | "unknown_kind" | "unreadable" };
  EditMessageRequest: { "body": string };
  EnableOperatorTwoFactorRequest: { "code": string };
  EnableOperatorTwoFactorResponse: { "recovery_codes": (string)[] };
  EnableTwoFactorRequest: { "code": string };
  EnableTwoFactorResponse: { "recovery_codes": (string)[] };
  ErasePersonRequest: { "phone": string; "confirm"?: boolean };
  Erasure: { "id": string; "status": "queued" | "running" | "done"; "requested_at": number; "done_at": number | null; "counts": Record<string, number>; "kept": ({ "what": string; "why": string })[]; "proof": string | null };
  Event: { "id": string; "type": string; "session_id": string | null; "occurred_at": number; "data": Record<string, unknown> };
  EventReader: { "name": string; "events": (string)[]; "last_pull_at": number };
  ExportDataRequest: { "phone"?: string };
  Ffmpeg: { "found": boolean; "version": string | null; "usable": boolean };
  FittingTemplate: { "id": string; "name": string; "language": string; "category": string; "variables": (string)[] };
  ForwardMessageRequest: { "chat_id"?: string; "recipient"?: Schemas['RecipientWithoutNumberInput'] };
  FoundPerson: { "person": Schemas['Person']; "about": string | null; "picture": string | null; "business": Schemas['WaBusinessProfile'] | null };
  FullWebhookDelivery: { "id": string; "webhook_id": string; "event_id": string; "event": string; "attempt": number; "status": "pending" | "delivered" | "failed"; "response_status": number | null; "error": string | null; "duration_ms": number | null; "next_attempt_at": number | null; "created_at": number; "attempts": (Schemas['WebhookAttempt'])[]; "payload": string };
  GetAccountResponse: { "deletion": Schemas['AccountDeletion'] | null };
  GetAdminBillingResponse: { "open": (Schemas['AdminInvoice'])[]; "unverified": (Schemas['AdminInvoice'])[]; "rejected": (Schemas['AdminInvoice'])[]; "disputed": (Schemas['AdminInvoice'])[]; "credits": ({ "tenant_id": string; "amount": number; "currency": "IDR" | "USD" })[] };
  GetAdminPricesResponse: { "tables": (Schemas['OfficialPriceTable'])[] };
  GetAnalyticsAgentsResponse: { "agents": (Schemas['AnalyticsItem'])[] };
  GetAnalyticsBlastsResponse: { "blasts": (Schemas['AnalyticsItem'])[] };
  GetAnalyticsCostsResponse: { "rows": (Schemas['AnalyticsCost'])[] };
  GetAnalyticsDailyResponse: { "days": (Schemas['AnalyticsDay'])[] };
  GetAnalyticsDevicesResponse: { "devices": (Schemas['AnalyticsItem'])[] };
  GetAnalyticsHourlyResponse: { "hours": ((number)[])[] };
  GetAttentionResponse: { "items": (Schemas['AttentionItem'])[] };
  GetBillingOptionsResponse: { "currency": "IDR" | "USD"; "providers": ({ "id": string; "currencies": ("IDR" | "USD")[] })[] };
  GetConsentHistoryResponse: { "phone": string | null; "lid": string | null; "current": Schemas['ConsentRecord'] | null; "history": (Schemas['ConsentHistoryEntry'])[] };
  GetGroupInviteResponse: { "code": string; "url": string };
  GetMoveInResponse: { "status": "checking" | "dialling" | "watching" | "done" | "failed"; "accepted": Record<string, number>; "dropped": (Schemas['DroppedRecord'])[]; "ignored": Record<string, number>; "error": { "code": "INTERRUPTED" | "LOGIN_INCOMPLETE" | "LOGIN_REFUSED" | "MOVED_ELSEWHERE" | "NOT_TAKEN_OVER" | "NUMBER_MISMATCH"; "error": string } | null };
  GetOnboardingResponse: { "done": boolean; "industry": string | null; "steps": ({ "step": "profile" | "device" | "pack" | "contacts" | "first_message"; "title": string; "done": boolean })[] };
  GetPasskeyStepResponse: { "step": "passkey" | "passkey_confirm"; "options": Schemas['PublicKeyOptions'] | null; "code": string | null; "expires_at": number; "ceremony": { "url": string; "token": string; "expires_at": number } | null };
  GetPushKeyResponse: { "public_key": string };
  GetQrResponse: { "qr": string; "expires_at": number };
  GetQueueResponse: { "next_before": string | null; "depth": number; "queue": (Schemas['QueuedMessage'])[] };
  GetReceiptsResponse: { "receipts": (Schemas['Receipt'])[] };
  GetSenderResponse: { "status": string; "phone": string | null; "qr": string | null; "expires_at": number | null };
  GetSessionHealthResponse: { "status": string; "reason": string | null; "node": string | null; "connected_at": number | null; "last_seen_at": number | null; "queue": { "depth": number; "oldest_at": number | null; "sending_per_minute": number; "warmup_until_ms": number | null }; "today": { "limit": number; "sent": number; "remaining": number; "resets_at": number } | null; "reconnects_24h": number; "restriction": Schemas['Restriction'] | null; "color": "green" | "yellow" | "red"; "reasons": ({ "what": string; "color": "yellow" | "red"; "figure": number; "since": number; "advice": string })[] };
  GetTwoFactorResponse: { "enabled": boolean; "recovery_codes_left": number };
  GetVotesResponse: { "options": ({ "name": string; "count": number; "voters": ({ "chat_id": string; "phone": string | null; "lid": string | null; "name": string | null; "at": number })[] })[] };
  GroupMember: { "id": string; "phone": string | null; "lid": string | null; "username": string | null; "name": string | null; "admin": "admin" | "superadmin" | null };
  HealthReason: { "what": "failed" | "client_outdated" | "banned_temporarily" | "network_refused" | "offline" | "restricted" | "delivery" | "failing" | "opt_outs" | "blocks" | "first_contacts" | "lookups" | "reconnects" | "silence"; "color": "green" | "yellow" | "red"; "figure": number; "since": number };
  HealthResponse: { "status": "ok" };
  HealthSign: { "device": string; "color": "green" | "yellow" | "red"; "reasons": (Schemas['HealthReason'])[] };
  Hold: { "reason": string; "until": number };
  HoldPersonRequest: { "reason": string; "until": number };
  HomeResponse: { "name"?: string; "docs"?: string; "openapi"?: string; "health"?: string; "console"?: string };
  IdentityContradiction: { "tenant_id": string; "lid": string; "numbers": (string)[]; "since": number };
  IgnoredChats: { "groups"?: boolean; "channels"?: boolean };
  IgnoredChatsInput: { "groups"?: boolean; "channels"?: boolean };
  ImportContactsRequest: { "rows": (Record<string, unknown>)[]; "opt_in"?: boolean };
  InboxChat: { "id": string; "session_id": string; "chat_id": string; "chat_name": string | null; "phone": string | null; "lid": string | null; "username": string | null; "last_message": string | null; "last_message_at": number; "unread_count": number; "is_group": 0 | 1; "agent_id": string | null; "status": "open" | "pending" | "resolved"; "snoozed_until": number | null; "window_until": number | null };
  InboxChatWithMetadata: { "id": string; "session_id": string; "chat_id": string; "chat_name": string | null; "phone": string | null; "lid": string | null; "username": string | null; "last_message": string | null; "last_message_at": number; "unread_count": number; "is_group": 0 | 1; "agent_id": string | null; "status": "open" | "pending" | "resolved"; "snoozed_until": number | null; "window_until": number | null; "tags": (Schemas['ChatTag'])[]; "notes": (string)[]; "pinned": boolean; "archived": boolean; "muted_until": number | null; "unread": boolean; "cleared_until": number | null; "ephemeral": number };
  InteractiveInput: { "type": "button" | "list" | "cta_url" | "location_request_message" | "flow" | "product" | "product_list" | "catalog_message"; "header"?: { "text": string; "type": "text" }; "body"?: { "text": string }; "footer"?: { "text": string }; "action": Record<string, unknown> };
  InvalidNumber: { "index": number; "value": string; "reason": "ambiguous_number" | "invalid_number" | "several_numbers" | "digits_lost" | "no_country" | "unknown_username" | "empty"; "readings"?: (string)[] };
  Invoice: { "id": string | null; "number": string | null; "status": "open" | "paid" | "expired" | "void" | "refunded" | "disputed"; "plan": string; "provider": "midtrans" | "xendit" | "stripe" | "sandbox"; "currency": "IDR" | "USD"; "amount": number; "lines": (Schemas['InvoiceLine'])[]; "payment_url": string | null; "period_start": number | null; "period_end": number | null; "created_at": number; "expires_at": number; "paid_at": number | null };
  InvoiceLine: { "kind": "plan" | "credit" | "overage" | "tax"; "text": string; "quantity": number; "amount": number };
  Isolation: { "memory": "watched" | "heap"; "cpu": "prlimit" | "watched" | "none"; "network": "none" | "open"; "files": "hidden" | "permissions" };
  JoinGroupRequest: { "code": string };
  KnowledgeDocument: { "id": string; "name": string; "ext": "pdf" | "docx" | "xlsx" | "csv" | "txt" | "md" | "html"; "size": number; "status": "uploading" | "parsing" | "ready" | "failed" | "deleting"; "progress": number; "chunks": number; "error": string | null; "warnings": (string)[]; "engine": "engine_a" | "local"; "source_url": string | null; "created_at": number; "updated_at": number };
  LabelledChat: { "chat_id": string; "phone": string | null; "lid": string | null };
  LinkPreview: { "title": string; "description"?: string; "url"?: string; "media_r2_key"?: string };
  LinkPreviewInput: { "title": string; "description"?: string; "url"?: string; "media_r2_key"?: string };
  LinkingCredentialInput: { "id": string; "rawId"?: string; "type": "public-key"; "authenticatorAttachment"?: string | null; "clientExtensionResults"?: Record<string, unknown>; "response": Schemas['AssertionResponseInput']; "raw_id"?: string };
  ListAgentsResponse: { "agents": (Schemas['Agent'])[] };
  ListAllSessionsResponse: { "sessions": (Schemas['PlacedSession'])[]; "next_before": number | null; "next_before_id": string | null };
  ListApiKeysResponse: { "api_keys": (Schemas['ApiKey'])[]; "next_before": number | null; "next_before_id": string | null };
  ListAttributesResponse: { "attributes": (Schemas['Attribute'])[] };
  ListAuditResponse: { "entries": (Schemas['AuditEntry'])[]; "next_before": number | null; "next_before_id": string | null };
  ListAutoRepliesResponse: { "rules": (Schemas['AutoReplyRule'])[] };
  ListBlastRecipientsResponse: { "recipients": (Schemas['BlastRecipient'])[]; "next_before": number | null; "next_before_id": string | null };
  ListBlastsResponse: { "blasts": (Schemas['BlastCampaign'])[]; "next_before": number | null; "next_before_id": string | null };
  ListBlockedPeopleResponse: { "next_before": string | null; "blocklist": (Schemas['Person'])[] };
  ListChannelFollowersResponse: { "followers": (Schemas['ChannelFollower'])[] };
  ListChannelMessagesResponse: { "messages": (Schemas['ChannelPost'])[]; "next_before": string | null };
  ListChannelsResponse: { "next_before": string | null; "channels": (Schemas['Channel'])[] };
  ListChatLabelsResponse: { "next_before": string | null; "labels": (Schemas['ChatLabel'])[] };
  ListChatNotesResponse: { "notes": (Schemas['ChatNote'])[] };
  ListCommunitiesResponse: { "next_before": string | null; "communities": (Schemas['WaGroupMetadata'])[] };
  ListCommunityGroupsResponse: { "next_before": string | null; "groups": (Schemas['CommunityGroup'])[] };
  ListCommunityParticipantsResponse: { "next_before": string | null; "participants": (Schemas['GroupMember'])[] };
  ListConsentResponse: { "summary": { "opted_in": number; "opted_out": number }; "consent": (Schemas['ConsentRecord'])[]; "next_before": number | null; "next_before_id": string | null };
  ListContactGroupsResponse: { "contact_groups": (Schemas['ContactGroup'])[] };
  ListContactsResponse: { "contacts": (Schemas['Contact'])[]; "next_before": number | null; "next_before_id": string | null };
  ListDeliveriesResponse: { "deliveries": (Schemas['WebhookDelivery'])[]; "next_before": number | null; "next_before_id": string | null };
  ListDocumentsResponse: { "documents": (Schemas['KnowledgeDocument'])[] };
  ListErasuresResponse: { "erasures": (Schemas['Erasure'])[]; "next_before": number | null; "next_before_id": string | null };
  ListExportsResponse: { "exports": (Schemas['PrivacyExport'])[]; "next_before": number | null; "next_before_id": string | null };
  ListGroupRequestsResponse: { "next_before": string | null; "requests": (Schemas['Person'])[] };
  ListGroupsResponse: { "next_before": string | null; "groups": (Schemas['WaGroupMetadata'])[] };
  ListIdentitiesResponse: { "contradictions": (Schemas['IdentityContradiction'])[] };
  ListInboxResponse: { "chats": (Schemas['InboxChat'])[]; "next_before": number | null; "next_before_id": string | null };
  ListInvoicesResponse: { "invoices": (Schemas['Invoice'])[]; "next_before": number | null; "next_before_id": string | null };
  ListLabelledChatsResponse: { "next_before": string | null; "chats": (Schemas['LabelledChat'])[] };
  ListLoginsResponse: { "logins": (Schemas['Login'])[] };
  ListMediaResponse: { "media": (Schemas['Media'])[]; "next_before": number | null; "next_before_id": string | null };
  ListMessagesResponse: { "messages": (Schemas['MessageLogEntry'])[]; "next_before": number | null; "next_before_id": string | null };
  ListNodesResponse: { "nodes": (Schemas['Node'])[] };
  ListOnboardingPacksResponse: { "packs": ({ "industry": string; "title": string; "templates": number; "auto_replies": number; "tags": number })[] };
  ListPasskeysResponse: { "passkeys": (Schemas['Passkey'])[] };
  ListPlansResponse: { "plans": (Schemas['Plan'])[] };
  ListProductCollectionsResponse: { "next_before": string | null; "collections": (Schemas['ProductCollection'])[] };
  ListProductsResponse: { "next_before": string | null; "products": (Schemas['WaCatalogProduct'])[] };
  ListRecurringResponse: { "recurring": (Schemas['RecurringMessage'])[]; "next_before": number | null; "next_before_id": string | null };
  ListRotatorsResponse: { "rotators": (Schemas['Rotator'])[]; "next_before": number | null; "next_before_id": string | null };
  ListSavedAnswersResponse: { "answers": (Schemas['SavedAnswer'])[]; "next_before": number | null; "next_before_id": string | null };
  ListScheduledResponse: { "scheduled": (Schemas['SessionScheduledMessage'])[]; "next_before": number | null; "next_before_id": string | null };
  ListSegmentsResponse: { "segments": (Schemas['Segment'])[] };
  ListSessionsResponse: { "sessions": (Schemas['Session'])[] };
  ListStatusesResponse: { "status": (Schemas['Status'])[]; "next_before": number | null; "next_before_id": string | null };
  ListStoreEventsResponse: { "items": (Schemas['StoreEvent'])[] };
  ListStoresResponse: { "items": (Schemas['StoreIntegration'])[]; "events": (string)[] };
  ListTagsResponse: { "tags": (Schemas['Tag'])[] };
  ListTemplatesResponse: { "templates": (Schemas['Template'])[] };
  ListTenantsResponse: { "tenants": (Schemas['Tenant'])[]; "next_before": number | null; "next_before_id": string | null };
  ListUnansweredResponse: { "unanswered": (Schemas['UnansweredQuestion'])[]; "next_before": number | null; "next_before_id": string | null };
  ListWebhooksResponse: { "webhooks": (Schemas['Webhook'])[] };
  LoadOlderMessagesRequest: { "count"?: number };
  LoadOlderMessagesResponse: { "requested": true };
  Location: { "lat": number; "lng": number };
  LocationInput: { "lat": number; "lng": number };
  Login: { "id": string; "created_at": number; "last_seen_at": number; "address": string | null; "agent": string | null; "user_agent": string | null; "current": boolean };
  MarkInvoiceRefundedRequest: { "ends"?: "now" | "period_end" };
  McpAnswer: { "jsonrpc": "2.0"; "id"?: string | number; "result"?: Record<string, unknown>; "error"?: { "code": number; "message": string } };
  McpMessageInput: { "jsonrpc": "2.0"; "id"?: string | number; "method": string; "params"?: Record<string, unknown> };
  Me: { "tenant_id": string; "role": "admin" | "agent"; "agent_id": string; "agent_name": string; "name": string; "auth": "login" | "api_key"; "scopes": ("read" | "send" | "manage")[] | null; "sessions": (string)[] | null };
  Media: { "key": string; "size": number; "content_type": string; "filename": string | null; "sha256": string; "seconds"?: number; "width"?: number; "height"?: number; "pages"?: number; "created_at": number };
  MediaWorker: { "running": number; "jobs": number; "killed": number; "refused": number };
  MemberResult: { "phone": string | null; "lid": string | null; "status": "ok" | "invited" | "failed"; "code": number | null; "message_id"?: string };
  Message: { "id": string; "session_id": string; "direction": "inbound" | "outbound"; "chat_id": string; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact" | "reaction"; "body": string | null; "media_r2_key": string | null; "status": "queued" | "sent" | "delivered" | "read" | "failed" | "cancelled" | "deleted"; "created_at": number; "sender": string | null; "sender_name": string | null; "sender_username"?: string; "historic"?: true; "starred"?: true; "removed_at"?: number; "album_id"?: string; "sent_by"?: Schemas['SentBy']; "waiting"?: Schemas['MessageWaiting']; "reason"?: string; "location"?: Schemas['Location']; "contact"?: Schemas['MessageContact']; "poll"?: Schemas['MessagePoll']; "media"?: Schemas['MessageMedia']; "mentions"?: (Schemas['NamedPerson'] | string)[]; "kind"?: "order" | "product" | "product_question" | "button_answer" | "list_answer" | "template" | "interactive" | "event" | "group_invite" | "channel_invite" | "view_once" | "payment" | "comment" | "call_link" | "sticker_pack" | "system" | "unsupported" | null; "content"?: Schemas['ContentOrder'] | Schemas['ContentProduct'] | Schemas['ContentProductQuestion'] | Schemas['ContentButtonAnswer'] | Schemas['ContentListAnswer'] | Schemas['ContentTemplate'] | Schemas['ContentInteractive'] | Schemas['ContentEvent'] | Schemas['ContentGroupInvite'] | Schemas['ContentChannelInvite'] | Schemas['ContentViewOnce'] | Schemas['ContentPayment'] | Schemas['ContentComment'] | Schemas['ContentCallLink'] | Schemas['ContentStickerPack'] | Schemas['ContentSystem'] | Schemas['ContentUnsupported'] | Record<string, unknown> | null; "place"?: Schemas['Place'] | null; "ad"?: Schemas['Ad'] | null; "contacts"?: (Schemas['SharedContact'])[]; "forwarded"?: boolean; "ephemeral"?: number | null; "link_preview"?: boolean | Schemas['LinkPreview']; "warnings"?: (Schemas['Warning'])[]; "invite"?: Schemas['MessageInvite']; "reaction"?: Schemas['ReactionTarget']; "reactions"?: (Schemas['MessageReaction'])[]; "reply_to"?: string | null; "edited_at"?: number; "deleted_at"?: number; "expires_at"?: number; "from_phone"?: true; "ai"?: Schemas['AiFacts']; "cost"?: Schemas['MessageCost']; "error": string | null; "wa_message_id": string | null; "sent_at": number | null; "delivered_at": number | null; "read_at": number | null };
  MessageContact: { "name": string; "phone": string };
  MessageCost: { "category": string; "type": string; "billable": boolean; "amount": number | null; "currency": string | null };
  MessageInvite: { "group_id": string; "expires_at": number };
  MessageLogEntry: { "id": string; "session_id": string; "direction": "inbound" | "outbound"; "chat_id": string; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact" | "reaction"; "body": string | null; "media_r2_key": string | null; "status": "queued" | "sent" | "delivered" | "read" | "failed" | "cancelled" | "deleted"; "created_at": number; "sender": string | null; "sender_name": string | null; "sender_username"?: string; "kind"?: "order" | "product" | "product_question" | "button_answer" | "list_answer" | "template" | "interactive" | "event" | "group_invite" | "channel_invite" | "view_once" | "payment" | "comment" | "call_link" | "sticker_pack" | "system" | "unsupported" | null; "historic"?: true; "starred"?: true; "removed_at"?: number; "album_id"?: string; "sent_by"?: Schemas['SentBy']; "waiting"?: Schemas['MessageWaiting']; "error"?: string | null; "reason"?: string };
  MessageMedia: { "content_type": string; "filename": string | null; "size": number; "sha256": string; "voice_note"?: boolean; "seconds"?: number; "width"?: number; "height"?: number; "pages"?: number; "animated"?: true; "pack"?: string; "gif"?: true; "round"?: true; "view_once"?: true; "hd"?: true; "waveform"?: (number)[] };
  MessagePoll: { "name": string; "choices": (string)[] };
  MessageReaction: { "emoji": string; "sender": string | null; "sender_name": string | null; "at": number };
  MessageWaiting: { "reason": "suspended" | "login" | "offline" | "backoff" | "restricted" | "warm_up" | "first_contact" | "campaign_behind_replies" | "pace" | "tier" | "pair_limit" | "spam_limit" | "held_by_network" | "outcome_unknown"; "until": number | null };
  Move: { "device": string; "from": string; "to": string };
  MoveInResponse: { "id": string };
  MoveSessionRequest: { "node"?: string | null };
  NamedPerson: { "phone": string | null; "lid": string | null; "username": string | null; "name": string | null };
  NetworkAccount: { "name": string | null; "about": string | null };
  NetworkHabits: { "lid_first"?: boolean; "cstoken"?: boolean; "previews"?: boolean; "presence"?: boolean; "history"?: boolean };
  NetworkHabitsInput: { "lid_first"?: boolean; "cstoken"?: boolean; "previews"?: boolean; "presence"?: boolean; "history"?: boolean };
  NetworkState: { "build": Schemas['ClientBuild']; "unknown": Schemas['UnknownNames'] };
  NewGroup: { "id": string; "subject": string; "owner": string | null; "creation": number | null; "desc": string | null; "size": number; "restrict": boolean; "announce": boolean; "ephemeralDuration": number; "join_approval": boolean; "member_add_mode": "admins" | "all"; "community": string | null; "is_community": boolean; "picture": string | null; "participants": (Schemas['GroupMember'])[]; "results": (Schemas['MemberResult'])[] };
  NewOfficialTemplateInput: { "session_id": string; "name": string; "language": string; "category": "utility" | "marketing" | "authentication"; "components": (Record<string, unknown>)[] };
  Node: { "id": string; "address": string; "started_at": number; "heartbeat_at": number; "state": "active" | "draining"; "store": "answers" | "doubtful" | "stepped_down" | null; "devices": number; "blasts": number; "load": number };
  OfficialKeysChangeInput: { "phone_number_id"?: string; "waba_id"?: string; "app_id"?: string; "app_secret"?: string; "access_token"?: string; "pin"?: string | null; "graph_version"?: string | null; "end_former"?: boolean };
  OfficialKeysInput: { "phone_number_id": string; "waba_id": string; "app_id": string; "app_secret": string; "access_token": string; "pin"?: string | null; "graph_version"?: string | null };
  OfficialNumber: { "phone_number_id": string; "waba_id": string; "app_id": string; "webhook_url": string | null; "verify_token"?: string; "quality": string | null; "tier": number | null; "can_send": boolean; "token_expires_at": number | null; "checks": ({ "name": string; "ok": boolean; "fix": string | null })[] };
  OfficialPrice: { "country": string; "category": string; "amount": number };
  OfficialPriceInput: { "country": string; "category": string; "amount": number };
  OfficialPriceTable: { "currency": string; "effective_from": number; "rows": (Schemas['OfficialPrice'])[] };
  OfficialTemplate: { "session_id": string; "name": string; "language": string; "category": string; "status": string; "quality": string | null; "format": "named" | "positional"; "variables": (string)[]; "reason": string | null; "synced_at": number };
  OnboardingPack: { "industry": string; "title": string; "language": string; "tags": (string)[]; "templates": ({ "name": string; "body": string })[]; "auto_replies": ({ "name": string; "trigger_text": string; "reply_body": string })[] };
  OpenConsoleSessionRequest: { "phone"?: string; "code"?: string; "challenge"?: string; "credential"?: Schemas['PasskeyAssertionInput'] };
  OpenapiResponse: Record<string, unknown>;
  Passkey: { "id": string; "name": string; "created_at": number };
  PasskeyAssertionInput: { "id": string; "rawId": string; "type": "public-key"; "authenticatorAttachment"?: string | null; "clientExtensionResults": Record<string, unknown>; "response": Schemas['AssertionResponseInput'] };
  PasskeyCeremony: { "stage": "challenge" | "awaiting" | "confirm" | "done" | "failed"; "public_key": Schemas['PublicKeyOptions'] | null; "code": string | null; "business": string; "device": string | null; "expires_at": number };
  PatchTenantRequest: { "plan"?: string; "suspended"?: boolean };
  PaymentWebhookAck: { "ok": boolean; "status"?: string };
  Person: { "phone": string | null; "lid": string | null; "username": string | null; "name": string | null };
  PinBuildRequest: { "version": string | null; "force"?: boolean };
  Place: { "name": string | null; "address": string | null; "url": string | null };
  PlacedSession: { "id": string; "name": string | null; "status": "pending" | "qr_ready" | "connected" | "disconnected" | "failed"; "reason": string | null; "reason_since": number | null; "code": number | null; "until": number | null; "phone_number": string | null; "wa_name": string | null; "wa_about": string | null; "phone_display": string | null; "phone_country": string | null; "phone_country_code": string | null; "api_key_id": string; "proxy_url": string | null; "ignore": Schemas['IgnoredChats']; "habits": Schemas['NetworkHabits']; "history": Schemas['DeviceHistory']; "presence": "offline" | "online" | "auto"; "warmup_until_ms": number | null; "pairing": { "step": "qr" | "code" | "passkey" | "passkey_confirm" } | null; "restriction": Schemas['Restriction'] | null; "paused": boolean; "driver": "linked" | "official"; "official": Schemas['OfficialNumber'] | null; "verify_token"?: string; "monthly_service_limit": number | null; "created_at": number; "connected_at": number | null; "node": string | null; "pinned_node": string | null };
  Plan: { "name": string; "devices": number; "messages": number; "send_per_minute": number; "key_cap": number; "keys": number; "stores": number; "ai_replies": number; "prices": { "IDR": number | null; "USD": number | null }; "overage": { "IDR": number; "USD": number } | null };
  PreviewContactImportForm: { "file": string; "opt_in"?: boolean; "bare_numbers"?: "national" | "international"; "columns"?: string };
  PreviewGroupResponse: { "id": string; "subject": string; "size": number | null };
  PreviewSegmentRequest: { "rules": Schemas['SegmentRulesInput'] };
  PreviewSegmentResponse: { "count": number; "sample": (Schemas['Contact'])[] };
  PreviewTemplateRequest: { "contact_id"?: string; "vars"?: { "name"?: string | null; "first_name"?: string | null; "phone"?: string | null; "var1"?: string | null; "var2"?: string | null; "var3"?: string | null; "var4"?: string | null; "var5"?: string | null; "attrs"?: Record<string, string> } };
  PreviewTemplateResponse: { "body": string; "missing": (string)[] };
  Privacy: { "retention_days": Schemas['RetentionDays']; "keep_disappearing": boolean; "last_run": { "at": number; "removed": Schemas['RetentionCounts'] } | null; "pending": { "retention_days": Schemas['RetentionDays']; "effective_at": number } | null; "hold": Schemas['Hold'] | null };
  PrivacyExport: { "id": string; "of": "person" | "tenant"; "status": "queued" | "running" | "done" | "failed"; "progress": number; "counts": Record<string, number>; "requested_at": number; "done_at": number | null; "expires_at": number | null };
  ProductCollection: { "id": string; "name": string; "products": (Schemas['WaCatalogProduct'])[] };
  PublicKeyOptions: { "challenge": string };
  PublishStatusRequest: { "type": "text" | "image" | "video"; "body"?: string; "media_r2_key"?: string; "background_color"?: string; "recipients"?: (string)[] };
  PullEventsResponse: { "events": (Schemas['Event'])[]; "next": string | null; "gap"?: true };
  PutAdminPricesRequest: { "currency": string; "effective_from": number; "rows": (Schemas['OfficialPriceInput'])[] };
  PutAssignmentRequest: { "mode"?: "manual" | "round_robin" | "least_busy"; "only_online"?: boolean };
  PutConsentConfigRequest: { "enabled"?: boolean; "optout_keywords"?: (string)[]; "optin_keywords"?: (string)[]; "optout_reply"?: string | null; "optin_reply"?: string | null; "enforce_api"?: boolean; "require_attestation"?: boolean };
  PutConsentRequest: { "status": "opted_in" | "opted_out"; "note"?: string | null };
  PutConsentResponse: { "ok": true; "changed": boolean; "consent": Schemas['ConsentRecord'] };
  PutProfileRequest: { "business_name"?: string | null; "country"?: string; "timezone"?: string; "locale"?: "en" | "id"; "industry"?: "ecommerce" | "retail" | "restaurant" | "healthcare" | "beauty" | "fitness" | "education" | "real_estate" | "automotive" | "travel" | "hospitality" | "logistics" | "finance" | "insurance" | "saas" | "professional_services" | "events" | "nonprofit" | "government" | "other" | null; "currency"?: "IDR" | "USD"; "configured"?: unknown; "calling_code"?: unknown; "suggested_timezones"?: unknown; "industries"?: unknown; "locales"?: unknown };
  QueuedMessage: { "id": string; "session_id": string; "direction": "inbound" | "outbound"; "chat_id": string; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact" | "reaction"; "body": string | null; "media_r2_key": string | null; "status": "queued" | "sent" | "delivered" | "read" | "failed" | "cancelled" | "deleted"; "created_at": number; "sender": string | null; "sender_name": string | null; "sender_username"?: string; "kind"?: "order" | "product" | "product_question" | "button_answer" | "list_answer" | "template" | "interactive" | "event" | "group_invite" | "channel_invite" | "view_once" | "payment" | "comment" | "call_link" | "sticker_pack" | "system" | "unsupported" | null; "historic"?: true; "starred"?: true; "removed_at"?: number; "album_id"?: string; "sent_by"?: Schemas['SentBy']; "error"?: string | null; "reason"?: string; "lane": "reply" | "scheduled" | "blast"; "priority": number; "waiting"?: Schemas['MessageWaiting'] };
  QuotaUse: { "used": number; "limit": number };
  ReactToMessageRequest: { "emoji": string };
  ReactionTarget: { "message_id": string | null; "wa_message_id": string };
  ReadyResponse: { "status": "ready" | "not_ready"; "checks": Record<string, "ok" | "failing" | "draining"> };
  RebalanceRequest: { "dry_run"?: boolean };
  RebalanceResponse: { "moves": (Schemas['Move'])[] };
  Receipt: { "person": Schemas['Person']; "delivered_at": number | null; "read_at": number | null; "played_at": number | null };
  ReceiveOfficialWebhookResponse: { "ok": true };
  ReceiveStoreWebhookResponse: { "ok": boolean; "outcome"?: string };
  RecipientInput: { "phone": string; "name"?: string | null; "var1"?: string | null; "var2"?: string | null; "var3"?: string | null; "var4"?: string | null; "var5"?: string | null };
  RecipientWithoutNumberInput: { "lid"?: string; "username"?: string; "key"?: string };
  RecurringMessage: { "id": string; "session_id": string; "name": string; "targets": (string)[]; "message": string | null; "media_r2_key": string | null; "template_id"?: string; "variables"?: Record<string, string>; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact"; "schedule_type": "daily" | "weekly" | "monthly" | "interval"; "schedule_config": { "hour": number; "minute": number; "day"?: number; "every_days"?: number }; "timezone": string; "next_run_at": number | null; "last_run_at": number | null; "is_active": boolean; "created_at": number };
  RefreshLoginRequest: { "refresh_token": string };
  Refused: { "error": string; "code": string; "details"?: ({ "path": string; "message": string })[]; "readings"?: (string)[]; "closed_at"?: number | null; "templates"?: (Schemas['FittingTemplate'])[] };
  RegisterRequest: { "name": string; "phone": string; "lang"?: "en" | "id" };
  RegisterResponse: { "ok": boolean };
  ReplayDeliveriesRequest: { "webhook_id": string; "since": number };
  Replayed: { "count": number };
  RequestOneTimeCodeRequest: { "phone": string };
  RequestOneTimeCodeResponse: { "ttl": number; "via": "whatsapp" | "sandbox" };
  RequestPairingCodeRequest: { "phone": string };
  RequestPairingCodeResponse: { "code": string; "expires_at": number };
  RequestPasskeyResponse: Record<string, unknown>;
  ResendBlastRequest: { "reasons": (string)[] };
  Restriction: { "until": number | null; "reason": string; "new_chats_used": number | null; "new_chats_quota": number | null };
  RetentionCounts: { "messages"?: number; "media"?: number; "webhooks"?: number; "audit"?: number };
  RetentionDays: { "messages": number; "media": number; "webhooks": number; "audit": number };
  RetriedMessage: { "id": string; "session_id": string; "direction": "inbound" | "outbound"; "chat_id": string; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact" | "reaction"; "body": string | null; "media_r2_key": string | null; "status": "queued" | "sent" | "delivered" | "read" | "failed" | "cancelled" | "deleted"; "created_at": number; "sender": string | null; "sender_name": string | null; "sender_username"?: string; "historic"?: true; "starred"?: true; "removed_at"?: number; "album_id"?: string; "sent_by"?: Schemas['SentBy']; "waiting"?: Schemas['MessageWaiting']; "reason"?: string; "location"?: Schemas['Location']; "contact"?: Schemas['MessageContact']; "poll"?: Schemas['MessagePoll']; "media"?: Schemas['MessageMedia']; "mentions"?: (Schemas['NamedPerson'] | string)[]; "kind"?: "order" | "product" | "product_question" | "button_answer" | "list_answer" | "template" | "interactive" | "event" | "group_invite" | "channel_invite" | "view_once" | "payment" | "comment" | "call_link" | "sticker_pack" | "system" | "unsupported" | null; "content"?: Schemas['ContentOrder'] | Schemas['ContentProduct'] | Schemas['ContentProductQuestion'] | Schemas['ContentButtonAnswer'] | Schemas['ContentListAnswer'] | Schemas['ContentTemplate'] | Schemas['ContentInteractive'] | Schemas['ContentEvent'] | Schemas['ContentGroupInvite'] | Schemas['ContentChannelInvite'] | Schemas['ContentViewOnce'] | Schemas['ContentPayment'] | Schemas['ContentComment'] | Schemas['ContentCallLink'] | Schemas['ContentStickerPack'] | Schemas['ContentSystem'] | Schemas['ContentUnsupported'] | Record<string, unknown> | null; "place"?: Schemas['Place'] | null; "ad"?: Schemas['Ad'] | null; "contacts"?: (Schemas['SharedContact'])[]; "forwarded"?: boolean; "ephemeral"?: number | null; "link_preview"?: boolean | Schemas['LinkPreview']; "invite"?: Schemas['MessageInvite']; "reaction"?: Schemas['ReactionTarget']; "reactions"?: (Schemas['MessageReaction'])[]; "reply_to"?: string | null; "edited_at"?: number; "deleted_at"?: number; "expires_at"?: number; "from_phone"?: true; "ai"?: Schemas['AiFacts']; "cost"?: Schemas['MessageCost']; "error": string | null; "wa_message_id": string | null; "sent_at": number | null; "delivered_at": number | null; "read_at": number | null; "warnings"?: (Schemas['Warning'])[] };
  RetryUnsentResponse: { "retried": number };
  Rotator: { "id": string; "name": string; "session_ids": (string)[]; "strategy": "round_robin" | "least_recent" | "random"; "created_at": number; "updated_at": number };
  RotatorSent: { "id": string; "status": "queued" | "sent" | "failed"; "wa_message_id": string | null; "warnings"?: (Schemas['Warning'])[]; "idempotent_replay"?: true; "session_id": string };
  SavedAnswer: { "id": string; "question": string; "answer": string; "source": "manual" | "unanswered"; "created_at": number; "updated_at": number };
  ScheduleConfigInput: { "hour"?: number; "minute"?: number; "day"?: number; "every_days"?: number };
  ScheduleMessageRequest: { "chat_id"?: string; "recipient"?: Schemas['RecipientWithoutNumberInput']; "type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact"; "body"?: string; "media_r2_key"?: string; "url"?: string; "filename"?: string; "caption"?: string; "voice_note"?: boolean; "convert"?: boolean; "gif"?: boolean; "round"?: boolean; "view_once"?: boolean; "hd"?: boolean; "sticker"?: Schemas['StickerPackInput']; "location"?: Schemas['LocationInput']; "poll_name"?: string; "choices"?: (string)[]; "contact"?: Schemas['ContactCardInput']; "reply_to"?: string; "country_code"?: string; "priority"?: number; "mentions"?: (string)[]; "link_preview"?: boolean | Schemas['LinkPreviewInput']; "template_id"?: string; "variables"?: Record<string, string>; "scheduled_at": number };
  Segment: { "id": string; "name": string; "rules": Schemas['SegmentRules']; "created_at": number; "updated_at": number };
  SegmentRule: { "field": string; "op": "is" | "is_not" | "contains" | "starts_with" | "in" | "gt" | "lt" | "exists" | "within_days"; "value"?: string | number | boolean | (string)[] };
  SegmentRuleInput: { "field": string; "op": "is" | "is_not" | "contains" | "starts_with" | "in" | "gt" | "lt" | "exists" | "within_days"; "value"?: string | number | boolean | (string)[] };
  SegmentRules: { "all"?: (Schemas['SegmentRule'])[]; "any"?: (Schemas['SegmentRule'])[] };
  SegmentRulesInput: { "all"?: (Schemas['SegmentRuleInput'])[]; "any"?: (Schemas['SegmentRuleInput'])[] };
  SendAlbumRequest: { "chat_id"?: string; "recipient"?: Schemas['RecipientWithoutNumberInput']; "country_code"?: string; "connect_only"?: boolean; "media": (Schemas['AlbumItemInput'])[] };
  SendMessageRequest: { "chat_id"?: string; "recipient"?: Schemas['RecipientWithoutNumberInput']; "type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact"; "body"?: string; "template_id"?: string; "variables"?: Record<string, string>; "interactive"?: Schemas['InteractiveInput']; "media_r2_key"?: string; "url"?: string; "filename"?: string; "caption"?: string; "voice_note"?: boolean; "convert"?: boolean; "gif"?: boolean; "round"?: boolean; "view_once"?: boolean; "hd"?: boolean; "sticker"?: Schemas['StickerPackInput']; "location"?: Schemas['LocationInput']; "poll_name"?: string; "choices"?: (string)[]; "contact"?: Schemas['ContactCardInput']; "reply_to"?: string; "connect_only"?: boolean; "country_code"?: string; "priority"?: number; "mentions"?: (string)[]; "link_preview"?: boolean | Schemas['LinkPreviewInput']; "expires_at"?: number };
  SendMessageResponse: { "id": string; "status": "queued" | "sent" | "failed"; "wa_message_id": string | null; "warnings"?: (Schemas['Warning'])[]; "idempotent_replay"?: true };
  SendMessagesRequest: { "messages": (Schemas['SendMessageRequest'])[] };
  SendMessagesResponse: { "results": (Schemas['SendMessageResponse'] | Schemas['Refused'])[] };
  SentAlbum: { "id": string; "items": (Schemas['SendMessageResponse'])[] };
  SentBy: { "kind": "person" | "owner" | "agent" | "api_key" | "auto_reply" | "ai" | "campaign" | "scheduled" | "store" | "phone"; "id": string | null; "name": string | null };
  Session: { "id": string; "name": string | null; "status": "pending" | "qr_ready" | "connected" | "disconnected" | "failed"; "reason": string | null; "reason_since": number | null; "code": number | null; "until": number | null; "phone_number": string | null; "wa_name": string | null; "wa_about": string | null; "phone_display": string | null; "phone_country": string | null; "phone_country_code": string | null; "api_key_id": string; "proxy_url": string | null; "ignore": Schemas['IgnoredChats']; "habits": Schemas['NetworkHabits']; "history": Schemas['DeviceHistory']; "presence": "offline" | "online" | "auto"; "warmup_until_ms": number | null; "pairing": { "step": "qr" | "code" | "passkey" | "passkey_confirm" } | null; "restriction": Schemas['Restriction'] | null; "paused": boolean; "driver": "linked" | "official"; "official": Schemas['OfficialNumber'] | null; "verify_token"?: string; "monthly_service_limit": number | null; "created_at": number; "connected_at": number | null };
  SessionScheduledMessage: { "id": string; "session_id": string; "api_key_id": string; "chat_id": string; "message_type": "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact"; "body": string | null; "media_r2_key": string | null; "caption": string | null; "scheduled_at": number; "status": "pending" | "sending" | "sent" | "failed"; "message_id": string | null; "error": string | null; "created_at": number };
  SetAccountPictureResponse: { "picture": string };
  SetConsentsRequest: { "phones": (string)[]; "status": "opted_in" | "opted_out"; "note"?: string | null };
  SetConsentsResponse: { "changed": number; "unchanged": number; "invalid": number; "opt_outs_lifted": number; "invalid_numbers": (Schemas['InvalidNumber'])[] };
  SetGroupPictureRequest: { "media_r2_key": string };
  SetUpTwoFactorResponse: { "otpauth_url": string; "secret": string };
  Settings: { "send_window": { "enabled": boolean; "start": string; "end": string; "days": (number)[]; "zone": "business" | "recipient" }; "welcome": { "enabled": boolean; "text": string | null }; "away": { "enabled": boolean; "text": string | null; "hours": { "start": string; "end": string; "days": (number)[] } }; "pacing": { "min_delay_ms": number; "max_delay_ms": number; "typing": boolean }; "warmup": { "enabled": boolean; "days": number }; "warnings"?: (Schemas['TokenWarning'])[] };
  SettingsPatchInput: { "send_window"?: { "enabled"?: boolean; "start"?: string; "end"?: string; "days"?: (number)[]; "zone"?: "business" | "recipient" }; "welcome"?: { "enabled"?: boolean; "text"?: string | null }; "away"?: { "enabled"?: boolean; "text"?: string | null; "hours"?: { "start"?: string; "end"?: string; "days"?: (number)[] } }; "pacing"?: { "min_delay_ms"?: number; "max_delay_ms"?: number; "typing"?: boolean }; "warmup"?: { "enabled"?: boolean; "days"?: number } };
  SharedContact: { "name": string; "phones": (string)[] };
  ShowPresenceRequest: { "state": "composing" | "recording" | "paused" };
  ShownApiKey: { "id": string; "name": string; "prefix": string; "session_ids": (string)[] | null; "scopes": ("read" | "send" | "manage")[]; "allowed_ips": (string)[] | null; "rate_limit_per_minute": number; "primary": boolean; "last_used_at": number | null; "created_at": number; "expires_at": number | null; "revoked_at": number | null; "key": string };
  SignInWithPasskeyRequest: { "credential": Schemas['PasskeyAssertionInput'] };
  SplitContactRequest: { "numbers": (string)[] };
  StartBlastRequest: { "consent_attested"?: boolean };
  StartPasskeyResponse: Record<string, unknown>;
  Status: { "id": string; "type": "text" | "image" | "video"; "body": string | null; "media_r2_key": string | null; "status": "queued" | "sent" | "failed"; "error": string | null; "audience": number; "view_count": number; "views": (Schemas['StatusView'])[]; "created_at": number };
  StatusView: { "phone": string | null; "lid": string | null; "username": string | null; "name": string | null; "at": number };
  StepUpRequest: { "code"?: string; "credential"?: Schemas['PasskeyAssertionInput'] };
  StepUpResponse: { "token": string };
  StickerPackInput: { "pack"?: string; "publisher"?: string; "emojis"?: (string)[] };
  StoreEvent: { "id": number; "topic": string; "ref": string | null; "outcome": "sent" | "scheduled" | "rescheduled" | "cancelled" | "duplicate" | "off" | "no_phone" | "no_session" | "not_marketing" | "opted_out" | "ignored"; "detail": string | null; "created_at": number };
  StoreIntegration: { "id": string; "platform": "platform_a" | "platform_b"; "name": string; "session_id": string | null; "enabled": boolean; "has_secret": boolean; "webhook_url": string | null; "templates": { "order_created": Schemas['StoreTemplate']; "order_paid": Schemas['StoreTemplate']; "order_shipped": Schemas['StoreTemplate']; "abandoned_checkout": Schemas['StoreTemplate'] }; "abandoned_delay_min": number; "abandoned_only_marketing": boolean; "shop_domain": string | null; "last_event_at": number | null; "last_error": string | null; "created_at": number; "health": { "state": "ok" | "quiet" | "failing"; "reasons": (string)[] } };
  StoreTemplate: { "enabled": boolean; "text": string };
  StoreTemplateInput: { "enabled"?: boolean; "text"?: string };
  SubscribeBrowserRequest: { "endpoint": string; "expirationTime"?: number | null; "keys": { "p256dh": string; "auth": string } };
  SuggestedReply: { "text": string | null; "sources": (Schemas['AiSource'])[] };
  Tag: { "id": string; "name": string; "color": string; "created_at": number; "updated_at": number };
  Template: { "id": string; "name": string; "message_type": "text" | "image" | "video" | "audio" | "document" | "sticker"; "body": string | null; "media_r2_key": string | null; "caption": string | null; "language": string; "official": Schemas['OfficialTemplate'] | null; "created_at": number; "updated_at": number; "warnings"?: (Schemas['TokenWarning'])[] };
  Tenant: { "id": string; "name": string; "phone": string; "country": string; "timezone": string; "plan": string; "suspended": boolean; "color": "green" | "yellow" | "red"; "reasons": (Schemas['HealthReason'])[]; "created_at": number; "updated_at": number };
  TestStoreRequest: { "phone": string; "event"?: "order_created" | "order_paid" | "order_shipped" | "abandoned_checkout" };
  TestStoreResponse: { "ok": true; "scheduled_id": string };
  TestWebhookResponse: { "delivery_id": string };
  TokenWarning: { "code": "UNKNOWN_TOKEN"; "message": string; "token": string };
  TwoFactorRequired: { "two_factor_required": true; "challenge": string; "role": "admin" | "agent" };
  UnansweredQuestion: { "id": string; "question": string; "asked": number; "last_at": number; "chats": ({ "session_id": string; "chat_id": string })[] };
  Unavailable: { "available": false; "reason": string };
  UnknownNames: { "contents": Record<string, number>; "stanzas": Record<string, number> };
  UnsubscribeBrowserRequest: { "endpoint": string };
  UpdateAccountPrivacyRequest: { "last_seen"?: "all" | "contacts" | "none"; "online"?: "all" | "contacts" | "none"; "picture"?: "all" | "contacts" | "none"; "about"?: "all" | "contacts" | "none"; "status"?: "all" | "contacts" | "none"; "groups"?: "all" | "contacts" | "none"; "calls"?: "all" | "contacts" | "none"; "read_receipts"?: boolean; "default_timer"?: 0 | 86400 | 604800 | 7776000 };
  UpdateAgentRequest: { "name"?: string; "phone"?: string; "is_active"?: boolean };
  UpdateApiKeyRequest: { "name"?: string; "session_ids"?: (string)[] | null; "scopes"?: ("read" | "send" | "manage")[]; "allowed_ips"?: (string)[] | null; "rate_limit_per_minute"?: number; "expires_at"?: number | null };
  UpdateBusinessProfileRequest: { "address"?: string | null; "description"?: string | null; "email"?: string | null; "websites"?: (string)[]; "categories"?: (string)[]; "hours"?: { "timezone": string; "days": ({ "day": number; "open": string; "close": string })[] } | null };
  UpdateCallRulesRequest: { "reject"?: boolean; "reject_text"?: string | null };
  UpdateChannelRequest: { "name"?: string; "description"?: string | null; "picture"?: string };
  UpdateChatLabelRequest: { "name"?: string; "color"?: number };
  UpdateGroupRequest: { "subject"?: string; "description"?: string | null; "announce"?: boolean; "restrict"?: boolean; "ephemeral"?: 0 | 86400 | 604800 | 7776000; "join_approval"?: boolean; "member_add_mode"?: "admins" | "all" };
  UpdateNetworkAccountRequest: { "name"?: string; "about"?: string };
  UpdatePrivacyRequest: { "retention_days"?: { "messages"?: number; "media"?: number; "webhooks"?: number; "audit"?: number }; "keep_disappearing"?: boolean };
  UpdateProductRequest: { "name"?: string; "description"?: string; "price"?: number; "currency"?: string; "retailerId"?: string; "url"?: string; "isHidden"?: boolean };
  UpdateSessionRequest: { "name"?: string | null; "proxy_url"?: string | null; "ignore"?: Schemas['IgnoredChatsInput']; "habits"?: Schemas['NetworkHabitsInput']; "history"?: Schemas['DeviceHistoryInput']; "presence"?: "offline" | "online" | "auto"; "official"?: Schemas['OfficialKeysChangeInput'] | null; "monthly_service_limit"?: number | null };
  UpdateWebhookRequest: { "url"?: string; "secret"?: string; "events"?: ("message.received" | "message.sent" | "message.failed" | "session.connected" | "session.disconnected" | "session.alert" | "qr.generated" | "message.delivered" | "message.read" | "message.reaction" | "message.edited" | "message.deleted" | "poll.vote" | "call.received" | "call.ended" | "consent.changed" | "contact.merged" | "chat.assigned" | "chat.snooze_ended" | "history.loaded" | "session.restricted" | "session.passkey" | "session.health" | "template.updated" | "group.joined" | "group.left" | "group.updated" | "group.participants" | "group.join_request" | "label.updated" | "label.deleted" | "label.assigned" | "label.unassigned" | "blocklist.changed" | "account.updated" | "channel.joined" | "channel.left" | "channel.updated" | "channel.stats" | "status.failed" | "store.event" | "quota.warning" | "invoice.paid" | "invoice.refunded" | "invoice.disputed" | "plan.changed" | "ai.paused" | "privacy.erased" | "audit.head" | "health.changed" | "security.sign_in" | "security.key_created" | "security.webhook_created" | "security.two_factor_changed" | "security.access_changed" | "security.data_exported" | "security.data_deleted" | "webhook.test")[]; "paused"?: boolean };
  Usage: { "plan": string; "period": string; "messages": { "used": number; "quota": number; "overage": number }; "devices": Schemas['QuotaUse']; "stores": Schemas['QuotaUse']; "ai_replies": Schemas['QuotaUse']; "open_drafts": Schemas['QuotaUse']; "draft_recipients": Schemas['QuotaUse']; "media_bytes": Schemas['QuotaUse']; "event_readers": (Schemas['EventReader'])[]; "send_per_minute": number; "rate_limit_per_minute": number };
  ValidateNumbersRequest: { "phones": (string)[] };
  ValidateNumbersResponse: { "results": ({ "input": string; "phone": string | null; "exists": boolean; "jid": string | null; "readings"?: (string)[] })[] };
  VerifyOneTimeCodeRequest: { "phone": string; "code": string };
  VerifyOperatorSecondFactorResponse: { "session": string; "expires_at": number };
  VerifySecondFactorRequest: { "challenge": string; "code"?: string; "credential"?: Schemas['PasskeyAssertionInput'] };
  WaBusinessProfile: { "address": string | null; "description": string | null; "email": string | null; "websites": (string)[]; "categories": (string)[]; "category_names": (string)[]; "hours": { "timezone": string; "days": (Record<string, unknown>)[] } | null };
  WaCatalogProduct: { "id": string; "name": string; "description"?: string; "price"?: number; "currency"?: string; "retailerId"?: string; "url"?: string; "isHidden": boolean; "imageUrls": Record<string, string>; "availability": string; "reviewStatus": Record<string, string> };
  WaGroupMetadata: { "id": string; "subject": string; "owner": string | null; "creation": number | null; "desc": string | null; "size": number; "restrict": boolean; "announce": boolean; "ephemeralDuration": number; "join_approval": boolean; "member_add_mode": "admins" | "all"; "community": string | null; "is_community": boolean; "picture": string | null; "participants": (Schemas['GroupMember'])[] };
  Warning: { "code": string; "message": string };
  Webhook: { "id": string; "url": string; "events": (string)[]; "format": "gateway" | "evolution" | "waha"; "session_id": string | null; "created_at": number; "disabled_at": number | null; "error": "secret_unreadable" | null };
  WebhookAttempt: { "at": number; "response_status": number | null; "error": string | null; "duration_ms": number; "body": string | null };
  WebhookDelivery: { "id": string; "webhook_id": string; "event_id": string; "event": string; "attempt": number; "status": "pending" | "delivered" | "failed"; "response_status": number | null; "error": string | null; "duration_ms": number | null; "next_attempt_at": number | null; "created_at": number; "attempts": (Schemas['WebhookAttempt'])[] };
}

/** Parameters, body and answer of each operation. */
export interface Operations {
  register: { params: {  }; query: {  }; body: Schemas['RegisterRequest']; answer: Schemas['RegisterResponse'] };
  requestOneTimeCode: { params: {  }; query: {  }; body: Schemas['RequestOneTimeCodeRequest']; answer: Schemas['RequestOneTimeCodeResponse'] };
  verifyOneTimeCode: { params: {  }; query: {  }; body: Schemas['VerifyOneTimeCodeRequest']; answer: Schemas['AuthSuccess'] | Schemas['TwoFactorRequired'] };
  refreshLogin: { params: {  }; query: {  }; body: Schemas['RefreshLoginRequest']; answer: Schemas['AuthSuccess'] };
  logout: { params: {  }; query: {  }; body: undefined; answer: Schemas['RegisterResponse'] };
  openConsoleSession: { params: {  }; query: {  }; body: Schemas['OpenConsoleSessionRequest']; answer: Schemas['BrowserLogin'] | Schemas['TwoFactorRequired'] };
  closeConsoleSession: { params: {  }; query: {  }; body: undefined; answer: Schemas['Done'] };
  refreshConsoleSession: { params: {  }; query: {  }; body: undefined; answer: Schemas['BrowserLogin'] };
  getMe: { params: {  }; query: {  }; body: undefined; answer: Schemas['Me'] };
  verifySecondFactor: { params: {  }; query: {  }; body: Schemas['VerifySecondFactorRequest']; answer: Schemas['AuthSuccess'] };
  stepUp: { params: {  }; query: {  }; body: Schemas['StepUpRequest']; answer: Schemas['StepUpResponse'] };
  getTwoFactor: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetTwoFactorResponse'] };
  setUpTwoFactor: { params: {  }; query: {  }; body: undefined; answer: Schemas['SetUpTwoFactorResponse'] };
  enableTwoFactor: { params: {  }; query: {  }; body: Schemas['EnableTwoFactorRequest']; answer: Schemas['EnableTwoFactorResponse'] };
  disableTwoFactor: { params: {  }; query: {  }; body: Schemas['EnableTwoFactorRequest']; answer: Schemas['Done'] };
  renewRecoveryCodes: { params: {  }; query: {  }; body: Schemas['EnableTwoFactorRequest']; answer: Schemas['EnableTwoFactorResponse'] };
  listLogins: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListLoginsResponse'] };
  endLogin: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  requestPasskey: { params: {  }; query: {  }; body: undefined; answer: Schemas['RequestPasskeyResponse'] };
  signInWithPasskey: { params: {  }; query: {  }; body: Schemas['SignInWithPasskeyRequest']; answer: Schemas['AuthSuccess'] };
  startPasskey: { params: {  }; query: {  }; body: undefined; answer: Schemas['StartPasskeyResponse'] };
  addPasskey: { params: {  }; query: {  }; body: Schemas['AddPasskeyRequest']; answer: Schemas['Passkey'] };
  listPasskeys: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListPasskeysResponse'] };
  getPasskey: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Passkey'] };
  removePasskey: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getAnalyticsOverview: { params: {  }; query: { "days"?: 7 | 30 | 90 }; body: undefined; answer: Schemas['AnalyticsOverview'] };
  getAnalyticsDaily: { params: {  }; query: { "days"?: 7 | 30 | 90 }; body: undefined; answer: Schemas['GetAnalyticsDailyResponse'] };
  getAnalyticsHourly: { params: {  }; query: { "days"?: 7 | 30 | 90 }; body: undefined; answer: Schemas['GetAnalyticsHourlyResponse'] };
  getAnalyticsDevices: { params: {  }; query: { "days"?: 7 | 30 | 90; "limit"?: number }; body: undefined; answer: Schemas['GetAnalyticsDevicesResponse'] };
  getAnalyticsAgents: { params: {  }; query: { "days"?: 7 | 30 | 90; "limit"?: number }; body: undefined; answer: Schemas['GetAnalyticsAgentsResponse'] };
  getAnalyticsAnswers: { params: {  }; query: { "days"?: 7 | 30 | 90 }; body: undefined; answer: Schemas['AnalyticsAnswers'] };
  getAnalyticsCosts: { params: {  }; query: { "days"?: 7 | 30 | 90; "blast_id"?: string }; body: undefined; answer: Schemas['GetAnalyticsCostsResponse'] };
  getAnalyticsBlasts: { params: {  }; query: { "days"?: 7 | 30 | 90; "limit"?: number }; body: undefined; answer: Schemas['GetAnalyticsBlastsResponse'] };
  listAudit: { params: {  }; query: { "actor"?: string; "action"?: string; "target"?: string; "since"?: number; "until"?: number; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListAuditResponse'] };
  exportAudit: { params: {  }; query: {  }; body: undefined; answer: string };
  verifyAudit: { params: {  }; query: {  }; body: undefined; answer: Schemas['AuditVerdict'] };
  erasePerson: { params: {  }; query: {  }; body: Schemas['ErasePersonRequest']; answer: Schemas['Erasure'] };
  listErasures: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListErasuresResponse'] };
  getErasure: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Erasure'] };
  exportData: { params: {  }; query: {  }; body: Schemas['ExportDataRequest']; answer: Schemas['PrivacyExport'] };
  listExports: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListExportsResponse'] };
  getExport: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['PrivacyExport'] };
  downloadExport: { params: { "id": string }; query: {  }; body: undefined; answer: Blob };
  getPrivacy: { params: {  }; query: {  }; body: undefined; answer: Schemas['Privacy'] };
  updatePrivacy: { params: {  }; query: {  }; body: Schemas['UpdatePrivacyRequest']; answer: Schemas['Privacy'] };
  previewPrivacy: { params: {  }; query: { "messages"?: number; "media"?: number; "webhooks"?: number; "audit"?: number }; body: undefined; answer: Schemas['RetentionCounts'] };
  deleteAccount: { params: {  }; query: {  }; body: Schemas['DeleteAccountRequest']; answer: Schemas['AccountDeletion'] };
  getAccount: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetAccountResponse'] };
  restoreAccount: { params: {  }; query: {  }; body: undefined; answer: Schemas['Done'] };
  holdPerson: { params: { "phone": string }; query: {  }; body: Schemas['HoldPersonRequest']; answer: Schemas['Hold'] };
  endHold: { params: { "phone": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  holdEverything: { params: {  }; query: {  }; body: Schemas['HoldPersonRequest']; answer: Schemas['Hold'] };
  endHoldOfEverything: { params: {  }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listOperatorAudit: { params: {  }; query: { "actor"?: string; "action"?: string; "target"?: string; "since"?: number; "until"?: number; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListAuditResponse'] };
  listAgents: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListAgentsResponse'] };
  createAgent: { params: {  }; query: {  }; body: Schemas['CreateAgentRequest']; answer: Schemas['Agent'] };
  getAgent: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Agent'] };
  updateAgent: { params: { "id": string }; query: {  }; body: Schemas['UpdateAgentRequest']; answer: Schemas['Agent'] };
  deleteAgent: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getAssignment: { params: {  }; query: {  }; body: undefined; answer: Schemas['Assignment'] };
  putAssignment: { params: {  }; query: {  }; body: Schemas['PutAssignmentRequest']; answer: Schemas['Assignment'] };
  listApiKeys: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListApiKeysResponse'] };
  createApiKey: { params: {  }; query: {  }; body: Schemas['CreateApiKeyRequest']; answer: Schemas['ShownApiKey'] };
  updateApiKey: { params: { "id": string }; query: {  }; body: Schemas['UpdateApiKeyRequest']; answer: Schemas['ApiKey'] };
  revokeApiKey: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['RegisterResponse'] };
  rotateApiKey: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['ShownApiKey'] };
  listSessions: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListSessionsResponse'] };
  createSession: { params: {  }; query: {  }; body: Schemas['CreateSessionRequest']; answer: Schemas['Session'] };
  getSession: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Session'] };
  updateSession: { params: { "sessionId": string }; query: {  }; body: Schemas['UpdateSessionRequest']; answer: Schemas['Session'] };
  deleteSession: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  connectSession: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Session'] };
  disconnectSession: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Session'] };
  logOutSession: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Session'] };
  restartSession: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Session'] };
  getQr: { params: { "sessionId": string }; query: { "format"?: "png" | "svg" | "text" }; body: undefined; answer: Schemas['GetQrResponse'] };
  requestPairingCode: { params: { "sessionId": string }; query: {  }; body: Schemas['RequestPairingCodeRequest']; answer: Schemas['RequestPairingCodeResponse'] };
  getPasskeyStep: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['GetPasskeyStepResponse'] };
  answerPasskey: { params: { "sessionId": string }; query: {  }; body: Schemas['AnswerPasskeyRequest']; answer: Schemas['Done'] };
  confirmPasskey: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getPasskeyCeremony: { params: { "token": string }; query: {  }; body: undefined; answer: Schemas['PasskeyCeremony'] };
  answerPasskeyCeremony: { params: { "token": string }; query: {  }; body: Schemas['AnswerPasskeyCeremonyRequest']; answer: Schemas['PasskeyCeremony'] };
  moveIn: { params: { "sessionId": string }; query: {  }; body: FormData | Blob | string; answer: Schemas['MoveInResponse'] };
  checkMoveIn: { params: { "sessionId": string }; query: {  }; body: FormData | Blob | string; answer: Schemas['CheckMoveInResponse'] };
  getMoveIn: { params: { "sessionId": string; "id": string }; query: {  }; body: undefined; answer: Schemas['GetMoveInResponse'] };
  getQueue: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['GetQueueResponse'] };
  clearQueue: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['ClearQueueResponse'] };
  getSessionHealth: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['GetSessionHealthResponse'] };
  validateNumbers: { params: { "sessionId": string }; query: {  }; body: Schemas['ValidateNumbersRequest']; answer: Schemas['ValidateNumbersResponse'] };
  sendMessage: { params: { "sessionId": string }; query: {  }; body: Schemas['SendMessageRequest']; answer: Schemas['SendMessageResponse'] };
  listMessages: { params: { "sessionId": string }; query: { "chat_id"?: string; "direction"?: "inbound" | "outbound"; "status"?: "queued" | "sent" | "delivered" | "read" | "failed" | "cancelled" | "deleted"; "type"?: "text" | "image" | "document" | "audio" | "video" | "sticker" | "location" | "poll" | "contact" | "reaction"; "wa_message_id"?: string; "q"?: string; "since"?: number; "until"?: number; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListMessagesResponse'] };
  getMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: undefined; answer: Schemas['Message'] };
  editMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: Schemas['EditMessageRequest']; answer: Schemas['Message'] };
  deleteMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  uploadMedia: { params: {  }; query: { "filename"?: string }; body: FormData | Blob | string; answer: Schemas['Media'] };
  listMedia: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListMediaResponse'] };
  getMedia: { params: { "key": string }; query: {  }; body: undefined; answer: Schemas['Media'] };
  deleteMedia: { params: { "key": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getMessageMedia: { params: { "sessionId": string; "messageId": string }; query: {  }; body: undefined; answer: Blob };
  createUploadUrl: { params: {  }; query: {  }; body: Schemas['CreateUploadUrlRequest']; answer: Schemas['CreateUploadUrlResponse'] };
  putUpload: { params: { "token": string }; query: {  }; body: FormData | Blob | string; answer: Schemas['Media'] };
  sendMessages: { params: { "sessionId": string }; query: {  }; body: Schemas['SendMessagesRequest']; answer: Schemas['SendMessagesResponse'] };
  retryMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: undefined; answer: Schemas['RetriedMessage'] };
  cancelMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: undefined; answer: Schemas['Message'] };
  forwardMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: Schemas['ForwardMessageRequest']; answer: Schemas['SendMessageResponse'] };
  sendAlbum: { params: { "sessionId": string }; query: {  }; body: Schemas['SendAlbumRequest']; answer: Schemas['SentAlbum'] };
  createBlast: { params: {  }; query: {  }; body: Schemas['CreateBlastRequest']; answer: Schemas['BlastCampaign'] };
  listBlasts: { params: {  }; query: { "status"?: "draft" | "running" | "paused" | "completed" | "failed" | "cancelled"; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListBlastsResponse'] };
  getBlast: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['BlastCampaign'] };
  changeBlast: { params: { "id": string }; query: {  }; body: Schemas['ChangeBlastRequest']; answer: Schemas['BlastCampaign'] };
  deleteBlast: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  addBlastRecipients: { params: { "id": string }; query: {  }; body: Schemas['AddBlastRecipientsRequest']; answer: Schemas['BlastCampaign'] };
  listBlastRecipients: { params: { "id": string }; query: { "status"?: "pending" | "queued" | "sent" | "delivered" | "read" | "failed" | "skipped"; "reason"?: string; "q"?: string; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListBlastRecipientsResponse'] };
  getBlastReport: { params: { "id": string }; query: {  }; body: undefined; answer: string };
  previewBlast: { params: {  }; query: {  }; body: Schemas['CreateBlastRequest']; answer: Schemas['BlastPreview'] };
  resendBlast: { params: { "id": string }; query: {  }; body: Schemas['ResendBlastRequest']; answer: Schemas['BlastCampaign'] };
  startBlast: { params: { "id": string }; query: {  }; body: Schemas['StartBlastRequest']; answer: Schemas['BlastCampaign'] };
  pauseBlast: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['BlastCampaign'] };
  resumeBlast: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['BlastCampaign'] };
  cancelBlast: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['BlastCampaign'] };
  scheduleMessage: { params: { "sessionId": string }; query: {  }; body: Schemas['ScheduleMessageRequest']; answer: Schemas['SessionScheduledMessage'] };
  listScheduled: { params: { "sessionId": string }; query: { "status"?: "pending" | "sending" | "sent" | "failed"; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListScheduledResponse'] };
  getScheduled: { params: { "sessionId": string; "id": string }; query: {  }; body: undefined; answer: Schemas['SessionScheduledMessage'] };
  changeScheduled: { params: { "sessionId": string; "id": string }; query: {  }; body: Schemas['ChangeScheduledRequest']; answer: Schemas['SessionScheduledMessage'] };
  cancelScheduled: { params: { "sessionId": string; "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  createRecurring: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateRecurringRequest']; answer: Schemas['RecurringMessage'] };
  listRecurring: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListRecurringResponse'] };
  getRecurring: { params: { "sessionId": string; "id": string }; query: {  }; body: undefined; answer: Schemas['RecurringMessage'] };
  changeRecurring: { params: { "sessionId": string; "id": string }; query: {  }; body: Schemas['ChangeRecurringRequest']; answer: Schemas['RecurringMessage'] };
  deleteRecurring: { params: { "sessionId": string; "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  runRecurring: { params: { "sessionId": string; "id": string }; query: {  }; body: undefined; answer: Schemas['RecurringMessage'] };
  createRotator: { params: {  }; query: {  }; body: Schemas['CreateRotatorRequest']; answer: Schemas['Rotator'] };
  listRotators: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListRotatorsResponse'] };
  getRotator: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Rotator'] };
  changeRotator: { params: { "id": string }; query: {  }; body: Schemas['ChangeRotatorRequest']; answer: Schemas['Rotator'] };
  deleteRotator: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  sendOverRotator: { params: { "id": string }; query: {  }; body: Schemas['SendMessageRequest']; answer: Schemas['RotatorSent'] };
  reactToMessage: { params: { "sessionId": string; "messageId": string }; query: {  }; body: Schemas['ReactToMessageRequest']; answer: Schemas['Message'] };
  getVotes: { params: { "sessionId": string; "messageId": string }; query: {  }; body: undefined; answer: Schemas['GetVotesResponse'] };
  showPresence: { params: { "sessionId": string; "chatId": string }; query: {  }; body: Schemas['ShowPresenceRequest']; answer: Schemas['Done'] };
  getReceipts: { params: { "sessionId": string; "messageId": string }; query: { "limit"?: number }; body: undefined; answer: Schemas['GetReceiptsResponse'] };
  getCapabilities: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Capabilities'] };
  listGroups: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListGroupsResponse'] };
  createGroup: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateGroupRequest']; answer: Schemas['NewGroup'] };
  getGroup: { params: { "sessionId": string; "groupId": string }; query: {  }; body: undefined; answer: Schemas['WaGroupMetadata'] };
  updateGroup: { params: { "sessionId": string; "groupId": string }; query: {  }; body: Schemas['UpdateGroupRequest']; answer: Schemas['WaGroupMetadata'] };
  leaveGroup: { params: { "sessionId": string; "groupId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  changeGroupMembers: { params: { "sessionId": string; "groupId": string }; query: {  }; body: Schemas['ChangeGroupMembersRequest']; answer: Schemas['ChangeGroupMembersResponse'] };
  exportGroupMembers: { params: { "sessionId": string; "groupId": string }; query: {  }; body: undefined; answer: string };
  listGroupRequests: { params: { "sessionId": string; "groupId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListGroupRequestsResponse'] };
  answerGroupRequests: { params: { "sessionId": string; "groupId": string }; query: {  }; body: Schemas['AnswerGroupRequestsRequest']; answer: Schemas['ChangeGroupMembersResponse'] };
  getGroupInvite: { params: { "sessionId": string; "groupId": string }; query: {  }; body: undefined; answer: Schemas['GetGroupInviteResponse'] };
  revokeGroupInvite: { params: { "sessionId": string; "groupId": string }; query: {  }; body: undefined; answer: Schemas['GetGroupInviteResponse'] };
  previewGroup: { params: { "sessionId": string; "code": string }; query: {  }; body: undefined; answer: Schemas['PreviewGroupResponse'] };
  joinGroup: { params: { "sessionId": string }; query: {  }; body: Schemas['JoinGroupRequest']; answer: { "joined": true; "id": string | null } | { "requested": true } };
  setGroupPicture: { params: { "sessionId": string; "groupId": string }; query: {  }; body: Schemas['SetGroupPictureRequest'] | FormData; answer: Schemas['WaGroupMetadata'] };
  removeGroupPicture: { params: { "sessionId": string; "groupId": string }; query: {  }; body: undefined; answer: Schemas['WaGroupMetadata'] };
  listCommunities: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListCommunitiesResponse'] };
  createCommunity: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateCommunityRequest']; answer: Schemas['WaGroupMetadata'] };
  getCommunity: { params: { "sessionId": string; "communityId": string }; query: {  }; body: undefined; answer: Schemas['WaGroupMetadata'] };
  updateCommunity: { params: { "sessionId": string; "communityId": string }; query: {  }; body: Schemas['UpdateGroupRequest']; answer: Schemas['WaGroupMetadata'] };
  endCommunity: { params: { "sessionId": string; "communityId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listCommunityGroups: { params: { "sessionId": string; "communityId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListCommunityGroupsResponse'] };
  addCommunityGroup: { params: { "sessionId": string; "communityId": string }; query: {  }; body: Schemas['AddCommunityGroupRequest']; answer: Schemas['WaGroupMetadata'] };
  removeCommunityGroup: { params: { "sessionId": string; "communityId": string; "groupId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listCommunityParticipants: { params: { "sessionId": string; "communityId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListCommunityParticipantsResponse'] };
  getNetworkAccount: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['NetworkAccount'] };
  updateNetworkAccount: { params: { "sessionId": string }; query: {  }; body: Schemas['UpdateNetworkAccountRequest']; answer: Schemas['NetworkAccount'] };
  setAccountPicture: { params: { "sessionId": string }; query: {  }; body: Schemas['SetGroupPictureRequest'] | FormData; answer: Schemas['SetAccountPictureResponse'] };
  removeAccountPicture: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getAccountPrivacy: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['AccountPrivacy'] };
  updateAccountPrivacy: { params: { "sessionId": string }; query: {  }; body: Schemas['UpdateAccountPrivacyRequest']; answer: Schemas['AccountPrivacy'] };
  getPerson: { params: { "sessionId": string; "phone": string }; query: {  }; body: undefined; answer: Schemas['FoundPerson'] };
  getCallRules: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['CallRules'] };
  updateCallRules: { params: { "sessionId": string }; query: {  }; body: Schemas['UpdateCallRulesRequest']; answer: Schemas['CallRules'] };
  listBlockedPeople: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListBlockedPeopleResponse'] };
  blockPerson: { params: { "sessionId": string }; query: {  }; body: Schemas['BlockPersonRequest']; answer: Schemas['Person'] };
  unblockPerson: { params: { "sessionId": string; "phone": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getBusinessProfile: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['WaBusinessProfile'] };
  updateBusinessProfile: { params: { "sessionId": string }; query: {  }; body: Schemas['UpdateBusinessProfileRequest']; answer: Schemas['WaBusinessProfile'] };
  listProducts: { params: { "sessionId": string }; query: { "chat_id"?: string; "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListProductsResponse'] };
  listProductCollections: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListProductCollectionsResponse'] };
  createProduct: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateProductRequest']; answer: Schemas['WaCatalogProduct'] };
  updateProduct: { params: { "sessionId": string; "productId": string }; query: {  }; body: Schemas['UpdateProductRequest']; answer: Schemas['WaCatalogProduct'] };
  deleteProduct: { params: { "sessionId": string; "productId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listChatLabels: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListChatLabelsResponse'] };
  createChatLabel: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateChatLabelRequest']; answer: Schemas['ChatLabel'] };
  updateChatLabel: { params: { "sessionId": string; "labelId": string }; query: {  }; body: Schemas['UpdateChatLabelRequest']; answer: Schemas['ChatLabel'] };
  deleteChatLabel: { params: { "sessionId": string; "labelId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listLabelledChats: { params: { "sessionId": string; "labelId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListLabelledChatsResponse'] };
  labelChat: { params: { "sessionId": string; "labelId": string; "chatId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  unlabelChat: { params: { "sessionId": string; "labelId": string; "chatId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listChannels: { params: { "sessionId": string }; query: { "role"?: "owner" | "admin" | "follower"; "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListChannelsResponse'] };
  createChannel: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateChannelRequest']; answer: Schemas['Channel'] };
  getChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: undefined; answer: Schemas['Channel'] };
  updateChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: Schemas['UpdateChannelRequest']; answer: Schemas['Channel'] };
  deleteChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getChannelByInvite: { params: { "sessionId": string; "code": string }; query: {  }; body: undefined; answer: Schemas['Channel'] };
  followChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: undefined; answer: Schemas['Channel'] };
  unfollowChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  muteChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  unmuteChannel: { params: { "sessionId": string; "channelId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listChannelMessages: { params: { "sessionId": string; "channelId": string }; query: { "limit"?: number; "before"?: string }; body: undefined; answer: Schemas['ListChannelMessagesResponse'] };
  listChannelFollowers: { params: { "sessionId": string; "channelId": string }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListChannelFollowersResponse'] };
  listStatuses: { params: { "sessionId": string }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListStatusesResponse'] };
  publishStatus: { params: { "sessionId": string }; query: {  }; body: Schemas['PublishStatusRequest']; answer: Schemas['SendMessageResponse'] };
  getStatus: { params: { "sessionId": string; "statusId": string }; query: {  }; body: undefined; answer: Schemas['Status'] };
  deleteStatus: { params: { "sessionId": string; "statusId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listInbox: { params: {  }; query: { "session_id"?: string; "status"?: "open" | "pending" | "resolved"; "agent_id"?: string | "none"; "unread"?: boolean; "pinned"?: boolean; "archived"?: boolean; "tag"?: string; "snoozed"?: boolean; "q"?: string; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListInboxResponse'] };
  listChats: { params: { "sessionId": string }; query: { "status"?: "open" | "pending" | "resolved"; "agent_id"?: string | "none"; "unread"?: boolean; "pinned"?: boolean; "archived"?: boolean; "tag"?: string; "snoozed"?: boolean; "q"?: string; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListInboxResponse'] };
  getChat: { params: { "sessionId": string; "chatId": string }; query: {  }; body: undefined; answer: Schemas['InboxChatWithMetadata'] };
  changeChat: { params: { "sessionId": string; "chatId": string }; query: {  }; body: Schemas['ChangeChatRequest']; answer: Schemas['InboxChatWithMetadata'] };
  listChatMessages: { params: { "sessionId": string; "chatId": string }; query: { "q"?: string; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListMessagesResponse'] };
  assignChat: { params: { "sessionId": string; "chatId": string }; query: {  }; body: Schemas['AssignChatRequest']; answer: Schemas['InboxChatWithMetadata'] };
  readChat: { params: { "sessionId": string; "chatId": string }; query: {  }; body: undefined; answer: Schemas['InboxChatWithMetadata'] };
  loadOlderMessages: { params: { "sessionId": string; "chatId": string }; query: {  }; body: Schemas['LoadOlderMessagesRequest']; answer: Schemas['LoadOlderMessagesResponse'] };
  listChatNotes: { params: { "sessionId": string; "chatId": string }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListChatNotesResponse'] };
  addChatNote: { params: { "sessionId": string; "chatId": string }; query: {  }; body: Schemas['AddChatNoteRequest']; answer: Schemas['InboxChatWithMetadata'] };
  deleteChatNote: { params: { "sessionId": string; "chatId": string; "noteId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listContacts: { params: {  }; query: { "q"?: string; "tag"?: string; "group_id"?: string; "segment_id"?: string; "phone"?: string; "merged"?: string; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListContactsResponse'] };
  createContact: { params: {  }; query: {  }; body: Schemas['CreateContactRequest']; answer: Schemas['Contact'] };
  getContact: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Contact'] };
  changeContact: { params: { "id": string }; query: {  }; body: Schemas['ChangeContactRequest']; answer: Schemas['Contact'] };
  deleteContact: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  splitContact: { params: { "id": string }; query: {  }; body: Schemas['SplitContactRequest']; answer: Schemas['Contact'] };
  changeContacts: { params: {  }; query: {  }; body: Schemas['ChangeContactsRequest']; answer: Schemas['BulkResult'] };
  getContactsBulk: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['BulkResult'] };
  exportContacts: { params: {  }; query: { "q"?: string; "tag"?: string; "group_id"?: string; "segment_id"?: string }; body: undefined; answer: string };
  previewContactImport: { params: {  }; query: { "opt_in"?: boolean; "bare_numbers"?: "national" | "international" }; body: FormData | Blob | string; answer: Schemas['ContactImportPreview'] };
  importContacts: { params: {  }; query: { "opt_in"?: boolean; "bare_numbers"?: "national" | "international" }; body: Schemas['ImportContactsRequest'] | FormData; answer: Schemas['MoveInResponse'] };
  getContactImport: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['ContactImport'] };
  listContactGroups: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListContactGroupsResponse'] };
  createContactGroup: { params: {  }; query: {  }; body: Schemas['CreateContactGroupRequest']; answer: Schemas['ContactGroup'] };
  changeContactGroup: { params: { "id": string }; query: {  }; body: Schemas['ChangeContactGroupRequest']; answer: Schemas['ContactGroup'] };
  deleteContactGroup: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listTags: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListTagsResponse'] };
  createTag: { params: {  }; query: {  }; body: Schemas['CreateTagRequest']; answer: Schemas['Tag'] };
  changeTag: { params: { "id": string }; query: {  }; body: Schemas['ChangeTagRequest']; answer: Schemas['Tag'] };
  deleteTag: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listAttributes: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListAttributesResponse'] };
  createAttribute: { params: {  }; query: {  }; body: Schemas['CreateAttributeRequest']; answer: Schemas['Attribute'] };
  changeAttribute: { params: { "id": string }; query: {  }; body: Schemas['ChangeAttributeRequest']; answer: Schemas['Attribute'] };
  deleteAttribute: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listSegments: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListSegmentsResponse'] };
  createSegment: { params: {  }; query: {  }; body: Schemas['CreateSegmentRequest']; answer: Schemas['Segment'] };
  previewSegment: { params: {  }; query: {  }; body: Schemas['PreviewSegmentRequest']; answer: Schemas['PreviewSegmentResponse'] };
  getSegment: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Segment'] };
  changeSegment: { params: { "id": string }; query: {  }; body: Schemas['ChangeSegmentRequest']; answer: Schemas['Segment'] };
  deleteSegment: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listSegmentContacts: { params: { "id": string }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListContactsResponse'] };
  listTemplates: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListTemplatesResponse'] };
  createTemplate: { params: {  }; query: {  }; body: Schemas['CreateTemplateRequest']; answer: Schemas['Template'] };
  getTemplate: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Template'] };
  changeTemplate: { params: { "id": string }; query: {  }; body: Schemas['ChangeTemplateRequest']; answer: Schemas['Template'] };
  deleteTemplate: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  previewTemplate: { params: { "id": string }; query: {  }; body: Schemas['PreviewTemplateRequest']; answer: Schemas['PreviewTemplateResponse'] };
  syncTemplates: { params: { "sessionId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getOnboarding: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetOnboardingResponse'] };
  listOnboardingPacks: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListOnboardingPacksResponse'] };
  getOnboardingPack: { params: { "industry": string }; query: { "language"?: "en" | "id" }; body: undefined; answer: Schemas['OnboardingPack'] };
  applyOnboardingPack: { params: { "industry": string }; query: {  }; body: Schemas['ApplyOnboardingPackRequest']; answer: Schemas['ApplyOnboardingPackResponse'] };
  listConsent: { params: {  }; query: { "status"?: "opted_in" | "opted_out"; "q"?: string; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListConsentResponse'] };
  getConsentConfig: { params: {  }; query: {  }; body: undefined; answer: Schemas['ConsentConfig'] };
  putConsentConfig: { params: {  }; query: {  }; body: Schemas['PutConsentConfigRequest']; answer: Schemas['ConsentConfig'] };
  exportConsent: { params: {  }; query: {  }; body: undefined; answer: string };
  setConsents: { params: {  }; query: {  }; body: Schemas['SetConsentsRequest']; answer: Schemas['SetConsentsResponse'] };
  getConsentHistory: { params: { "phone": string }; query: { "limit"?: number }; body: undefined; answer: Schemas['GetConsentHistoryResponse'] };
  putConsent: { params: { "phone": string }; query: {  }; body: Schemas['PutConsentRequest']; answer: Schemas['PutConsentResponse'] };
  listAutoReplies: { params: { "sessionId": string }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListAutoRepliesResponse'] };
  createAutoReply: { params: { "sessionId": string }; query: {  }; body: Schemas['CreateAutoReplyRequest']; answer: Schemas['CreateAutoReplyResponse'] };
  changeAutoReply: { params: { "sessionId": string; "ruleId": string }; query: {  }; body: Schemas['ChangeAutoReplyRequest']; answer: Schemas['ChangeAutoReplyResponse'] };
  deleteAutoReply: { params: { "sessionId": string; "ruleId": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  getAiReply: { params: {  }; query: {  }; body: undefined; answer: Schemas['AiReply'] };
  changeAiReply: { params: {  }; query: {  }; body: Schemas['ChangeAiReplyRequest']; answer: Schemas['AiReply'] };
  askAi: { params: {  }; query: {  }; body: Schemas['AskAiRequest']; answer: Schemas['AiAnswer'] };
  listSavedAnswers: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListSavedAnswersResponse'] };
  createSavedAnswer: { params: {  }; query: {  }; body: Schemas['CreateSavedAnswerRequest']; answer: Schemas['SavedAnswer'] };
  changeSavedAnswer: { params: { "id": string }; query: {  }; body: Schemas['ChangeSavedAnswerRequest']; answer: Schemas['SavedAnswer'] };
  deleteSavedAnswer: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listUnanswered: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListUnansweredResponse'] };
  answerUnanswered: { params: { "id": string }; query: {  }; body: Schemas['AnswerUnansweredRequest']; answer: Schemas['SavedAnswer'] };
  deleteUnanswered: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  suggestReply: { params: { "sessionId": string; "chatId": string }; query: {  }; body: undefined; answer: Schemas['SuggestedReply'] };
  uploadDocument: { params: {  }; query: {  }; body: FormData | Blob | string; answer: Schemas['KnowledgeDocument'] };
  listDocuments: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListDocumentsResponse'] };
  addDocumentPage: { params: {  }; query: {  }; body: Schemas['AddDocumentPageRequest']; answer: Schemas['KnowledgeDocument'] };
  getDocument: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['KnowledgeDocument'] };
  deleteDocument: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  parseDocument: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['KnowledgeDocument'] };
  listWebhooks: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListWebhooksResponse'] };
  createWebhook: { params: {  }; query: {  }; body: Schemas['CreateWebhookRequest']; answer: Schemas['Webhook'] };
  getWebhook: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Webhook'] };
  updateWebhook: { params: { "id": string }; query: {  }; body: Schemas['UpdateWebhookRequest']; answer: Schemas['Webhook'] };
  deleteWebhook: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  testWebhook: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['TestWebhookResponse'] };
  listDeliveries: { params: {  }; query: { "webhook_id"?: string; "status"?: "pending" | "delivered" | "failed"; "event"?: "message.received" | "message.sent" | "message.failed" | "session.connected" | "session.disconnected" | "session.alert" | "qr.generated" | "message.delivered" | "message.read" | "message.reaction" | "message.edited" | "message.deleted" | "poll.vote" | "call.received" | "call.ended" | "consent.changed" | "contact.merged" | "chat.assigned" | "chat.snooze_ended" | "history.loaded" | "session.restricted" | "session.passkey" | "session.health" | "template.updated" | "group.joined" | "group.left" | "group.updated" | "group.participants" | "group.join_request" | "label.updated" | "label.deleted" | "label.assigned" | "label.unassigned" | "blocklist.changed" | "account.updated" | "channel.joined" | "channel.left" | "channel.updated" | "channel.stats" | "status.failed" | "store.event" | "quota.warning" | "invoice.paid" | "invoice.refunded" | "invoice.disputed" | "plan.changed" | "ai.paused" | "privacy.erased" | "audit.head" | "health.changed" | "security.sign_in" | "security.key_created" | "security.webhook_created" | "security.two_factor_changed" | "security.access_changed" | "security.data_exported" | "security.data_deleted" | "webhook.test"; "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListDeliveriesResponse'] };
  getDelivery: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['FullWebhookDelivery'] };
  redeliver: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['TestWebhookResponse'] };
  replayDeliveries: { params: {  }; query: {  }; body: Schemas['ReplayDeliveriesRequest']; answer: Schemas['Replayed'] };
  createEventsTicket: { params: {  }; query: {  }; body: Schemas['CreateEventsTicketRequest']; answer: Schemas['CreateEventsTicketResponse'] };
  openEventStream: { params: {  }; query: { "ticket"?: string; "events"?: ("message.received" | "message.sent" | "message.failed" | "session.connected" | "session.disconnected" | "session.alert" | "qr.generated" | "message.delivered" | "message.read" | "message.reaction" | "message.edited" | "message.deleted" | "poll.vote" | "call.received" | "call.ended" | "consent.changed" | "contact.merged" | "chat.assigned" | "chat.snooze_ended" | "history.loaded" | "session.restricted" | "session.passkey" | "session.health" | "template.updated" | "group.joined" | "group.left" | "group.updated" | "group.participants" | "group.join_request" | "label.updated" | "label.deleted" | "label.assigned" | "label.unassigned" | "blocklist.changed" | "account.updated" | "channel.joined" | "channel.left" | "channel.updated" | "channel.stats" | "status.failed" | "store.event" | "quota.warning" | "invoice.paid" | "invoice.refunded" | "invoice.disputed" | "plan.changed" | "ai.paused" | "privacy.erased" | "audit.head" | "health.changed" | "security.sign_in" | "security.key_created" | "security.webhook_created" | "security.two_factor_changed" | "security.access_changed" | "security.data_exported" | "security.data_deleted" | "webhook.test" | "blast.progress" | "blast.waiting" | "blast.paused" | "blast.completed" | "scheduled.sent" | "recurring.executed" | "chat.presence")[] }; body: undefined; answer: string };
  pullEvents: { params: {  }; query: { "after"?: string; "limit"?: number; "events"?: string; "reader"?: string }; body: undefined; answer: Schemas['PullEventsResponse'] };
  endEventReader: { params: { "name": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listStores: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListStoresResponse'] };
  connectStore: { params: {  }; query: {  }; body: Schemas['ConnectStoreRequest']; answer: Schemas['ConnectStoreResponse'] };
  changeStore: { params: { "id": string }; query: {  }; body: Schemas['ChangeStoreRequest']; answer: Schemas['ChangeStoreResponse'] };
  disconnectStore: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Done'] };
  listStoreEvents: { params: { "id": string }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListStoreEventsResponse'] };
  testStore: { params: { "id": string }; query: {  }; body: Schemas['TestStoreRequest']; answer: Schemas['TestStoreResponse'] };
  receiveStoreWebhook: { params: { "token": string }; query: { "webhook_id"?: string }; body: FormData | Blob | string; answer: Schemas['ReceiveStoreWebhookResponse'] };
  verifyOfficialWebhook: { params: { "token": string }; query: { "hub.mode"?: string; "hub.challenge"?: string; "hub.verify_token"?: string }; body: undefined; answer: string };
  receiveOfficialWebhook: { params: { "token": string }; query: {  }; body: FormData | Blob | string; answer: Schemas['ReceiveOfficialWebhookResponse'] };
  getBilling: { params: {  }; query: {  }; body: undefined; answer: Schemas['Billing'] };
  listPlans: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListPlansResponse'] };
  getBillingOptions: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetBillingOptionsResponse'] };
  checkout: { params: {  }; query: {  }; body: Schemas['CheckoutRequest']; answer: Schemas['CheckoutResponse'] };
  listInvoices: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListInvoicesResponse'] };
  getInvoice: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Invoice'] };
  cancelPlan: { params: {  }; query: {  }; body: undefined; answer: Schemas['Billing'] };
  resumePlan: { params: {  }; query: {  }; body: undefined; answer: Schemas['Billing'] };
  retryUnsent: { params: {  }; query: {  }; body: undefined; answer: Schemas['RetryUnsentResponse'] };
  receivePaymentWebhook: { params: { "provider": string }; query: {  }; body: { "order_id": string; "status_code": string; "gross_amount": string; "signature_key": string; "transaction_status"?: unknown; "fraud_status"?: unknown; "transaction_id"?: unknown; "payment_type"?: unknown; "currency"?: unknown } | { "event": string; "data": { "reference_id": string; "payment_session_id"?: unknown; "payment_id"?: unknown; "status"?: unknown; "amount"?: unknown; "currency"?: unknown } } | { "event": string; "data": { "payment_id": string; "reference_id"?: unknown; "amount"?: unknown; "status"?: unknown } } | { "external_id": string; "status": string; "id"?: unknown; "amount"?: unknown; "paid_amount"?: unknown; "currency"?: unknown } | { "type": string; "data": { "object": { "client_reference_id": string; "payment_status"?: unknown; "amount_total"?: unknown } } } | { "type": string; "data": { "object": { "payment_intent": string } } } | Record<string, unknown>; answer: Schemas['PaymentWebhookAck'] };
  returnFromPayment: { params: { "invoiceId": string }; query: {  }; body: undefined; answer: string };
  getAdminBilling: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['GetAdminBillingResponse'] };
  markInvoiceRefunded: { params: { "id": string }; query: {  }; body: Schemas['MarkInvoiceRefundedRequest']; answer: Schemas['AdminInvoice'] };
  getAdminPrices: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['GetAdminPricesResponse'] };
  putAdminPrices: { params: {  }; query: {  }; body: Schemas['PutAdminPricesRequest']; answer: Schemas['OfficialPriceTable'] };
  getPushKey: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetPushKeyResponse'] };
  subscribeBrowser: { params: {  }; query: {  }; body: Schemas['SubscribeBrowserRequest']; answer: Schemas['Done'] };
  unsubscribeBrowser: { params: {  }; query: {  }; body: Schemas['UnsubscribeBrowserRequest']; answer: Schemas['Done'] };
  testPush: { params: {  }; query: {  }; body: Schemas['UnsubscribeBrowserRequest']; answer: Schemas['Done'] };
  getProfile: { params: {  }; query: {  }; body: undefined; answer: Schemas['BusinessProfile'] };
  putProfile: { params: {  }; query: {  }; body: Schemas['PutProfileRequest']; answer: Schemas['BusinessProfile'] };
  getSettings: { params: {  }; query: {  }; body: undefined; answer: Schemas['Settings'] };
  putSettings: { params: {  }; query: {  }; body: Schemas['SettingsPatchInput']; answer: Schemas['Settings'] };
  getUsage: { params: {  }; query: {  }; body: undefined; answer: Schemas['Usage'] };
  getAttention: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['GetAttentionResponse'] };
  listTenants: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string; "q"?: string; "plan"?: string; "status"?: "active" | "suspended"; "sort"?: "worst" }; body: undefined; answer: Schemas['ListTenantsResponse'] };
  getTenant: { params: { "id": string }; query: {  }; body: undefined; answer: Schemas['Tenant'] };
  patchTenant: { params: { "id": string }; query: {  }; body: Schemas['PatchTenantRequest']; answer: Schemas['Tenant'] };
  getTenantHealth: { params: { "id": string }; query: { "days"?: 7 | 30 | 90 }; body: undefined; answer: Schemas['AdminTenantHealth'] };
  getSender: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetSenderResponse'] };
  connectSender: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetSenderResponse'] };
  getSenderQr: { params: {  }; query: { "format"?: "png" | "svg" | "text" }; body: undefined; answer: Schemas['GetQrResponse'] };
  listNodes: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListNodesResponse'] };
  drainNode: { params: { "nodeId": string }; query: {  }; body: undefined; answer: Schemas['Node'] };
  undrainNode: { params: { "nodeId": string }; query: {  }; body: undefined; answer: Schemas['Node'] };
  listAllSessions: { params: {  }; query: { "limit"?: number; "before"?: number | null; "before_id"?: string }; body: undefined; answer: Schemas['ListAllSessionsResponse'] };
  moveSession: { params: { "id": string }; query: {  }; body: Schemas['MoveSessionRequest']; answer: Schemas['Move'] };
  rebalance: { params: {  }; query: {  }; body: Schemas['RebalanceRequest']; answer: Schemas['RebalanceResponse'] };
  getNodeHealth: { params: {  }; query: {  }; body: undefined; answer: Schemas['AdminHealth'] };
  getNetwork: { params: {  }; query: {  }; body: undefined; answer: Schemas['NetworkState'] };
  getUnknownSamples: { params: {  }; query: {  }; body: undefined; answer: string };
  pinBuild: { params: {  }; query: {  }; body: Schemas['PinBuildRequest']; answer: Schemas['NetworkState'] };
  listIdentities: { params: {  }; query: { "limit"?: number }; body: undefined; answer: Schemas['ListIdentitiesResponse'] };
  getOperatorTwoFactor: { params: {  }; query: {  }; body: undefined; answer: Schemas['GetTwoFactorResponse'] };
  disableOperatorTwoFactor: { params: {  }; query: {  }; body: Schemas['EnableOperatorTwoFactorRequest']; answer: Schemas['Done'] };
  setUpOperatorTwoFactor: { params: {  }; query: {  }; body: undefined; answer: Schemas['SetUpTwoFactorResponse'] };
  enableOperatorTwoFactor: { params: {  }; query: {  }; body: Schemas['EnableOperatorTwoFactorRequest']; answer: Schemas['EnableOperatorTwoFactorResponse'] };
  verifyOperatorSecondFactor: { params: {  }; query: {  }; body: Schemas['EnableOperatorTwoFactorRequest']; answer: Schemas['VerifyOperatorSecondFactorResponse'] };
  openConsole: { params: {  }; query: {  }; body: undefined; answer: string };
  getConsole: { params: { "path": string }; query: {  }; body: undefined; answer: string };
  mcp: { params: {  }; query: {  }; body: Schemas['McpMessageInput']; answer: Schemas['McpAnswer'] };
  home: { params: {  }; query: {  }; body: undefined; answer: Schemas['HomeResponse'] };
  health: { params: {  }; query: {  }; body: undefined; answer: Schemas['HealthResponse'] };
  ready: { params: {  }; query: {  }; body: undefined; answer: Schemas['ReadyResponse'] };
  openapi: { params: {  }; query: {  }; body: undefined; answer: Schemas['OpenapiResponse'] };
  docs: { params: {  }; query: {  }; body: undefined; answer: string };
  guide: { params: { "page": string }; query: { "q"?: string }; body: undefined; answer: Blob };
  reference: { params: {  }; query: {  }; body: undefined; answer: string };
  llms: { params: {  }; query: {  }; body: undefined; answer: string };
  metrics: { params: {  }; query: {  }; body: undefined; answer: string };
}

/** Method and path of each operation. */
export const PLACES: Readonly<Record<keyof Operations, readonly [method: string, path: string]>> = {
  register: ['POST', '/auth/register'],
  requestOneTimeCode: ['POST', '/auth/request-otp'],
  verifyOneTimeCode: ['POST', '/auth/verify-otp'],
  refreshLogin: ['POST', '/auth/refresh'],
  logout: ['POST', '/auth/logout'],
  openConsoleSession: ['POST', '/console/session'],
  closeConsoleSession: ['DELETE', '/console/session'],
  refreshConsoleSession: ['POST', '/console/session/refresh'],
  getMe: ['GET', '/v1/me'],
  verifySecondFactor: ['POST', '/auth/2fa/verify'],
  stepUp: ['POST', '/auth/step-up'],
  getTwoFactor: ['GET', '/v1/2fa'],
  setUpTwoFactor: ['POST', '/v1/2fa/setup'],
  enableTwoFactor: ['POST', '/v1/2fa/enable'],
  disableTwoFactor: ['POST', '/v1/2fa/disable'],
  renewRecoveryCodes: ['POST', '/v1/2fa/recovery-codes'],
  listLogins: ['GET', '/v1/logins'],
  endLogin: ['DELETE', '/v1/logins/{id}'],
  requestPasskey: ['POST', '/auth/passkey/options'],
  signInWithPasskey: ['POST', '/auth/passkey'],
  startPasskey: ['POST', '/v1/passkeys/options'],
  addPasskey: ['POST', '/v1/passkeys'],
  listPasskeys: ['GET', '/v1/passkeys'],
  getPasskey: ['GET', '/v1/passkeys/{id}'],
  removePasskey: ['DELETE', '/v1/passkeys/{id}'],
  getAnalyticsOverview: ['GET', '/v1/analytics/overview'],
  getAnalyticsDaily: ['GET', '/v1/analytics/daily'],
  getAnalyticsHourly: ['GET', '/v1/analytics/hourly'],
  getAnalyticsDevices: ['GET', '/v1/analytics/devices'],
  getAnalyticsAgents: ['GET', '/v1/analytics/agents'],
  getAnalyticsAnswers: ['GET', '/v1/analytics/answers'],
  getAnalyticsCosts: ['GET', '/v1/analytics/costs'],
  getAnalyticsBlasts: ['GET', '/v1/analytics/blasts'],
  listAudit: ['GET', '/v1/audit'],
  exportAudit: ['GET', '/v1/audit/export'],
  verifyAudit: ['GET', '/v1/audit/verify'],
  erasePerson: ['POST', '/v1/privacy/erasures'],
  listErasures: ['GET', '/v1/privacy/erasures'],
  getErasure: ['GET', '/v1/privacy/erasures/{id}'],
  exportData: ['POST', '/v1/privacy/exports'],
  listExports: ['GET', '/v1/privacy/exports'],
  getExport: ['GET', '/v1/privacy/exports/{id}'],
  downloadExport: ['GET', '/v1/privacy/exports/{id}/download'],
  getPrivacy: ['GET', '/v1/privacy'],
  updatePrivacy: ['PUT', '/v1/privacy'],
  previewPrivacy: ['GET', '/v1/privacy/preview'],
  deleteAccount: ['DELETE', '/v1/account'],
  getAccount: ['GET', '/v1/account'],
  restoreAccount: ['POST', '/v1/account/restore'],
  holdPerson: ['PUT', '/v1/privacy/holds/{phone}'],
  endHold: ['DELETE', '/v1/privacy/holds/{phone}'],
  holdEverything: ['PUT', '/v1/privacy/hold'],
  endHoldOfEverything: ['DELETE', '/v1/privacy/hold'],
  listOperatorAudit: ['GET', '/v1/admin/audit'],
  listAgents: ['GET', '/v1/agents'],
  createAgent: ['POST', '/v1/agents'],
  getAgent: ['GET', '/v1/agents/{id}'],
  updateAgent: ['PATCH', '/v1/agents/{id}'],
  deleteAgent: ['DELETE', '/v1/agents/{id}'],
  getAssignment: ['GET', '/v1/assignment'],
  putAssignment: ['PUT', '/v1/assignment'],
  listApiKeys: ['GET', '/v1/api-keys'],
  createApiKey: ['POST', '/v1/api-keys'],
  updateApiKey: ['PATCH', '/v1/api-keys/{id}'],
  revokeApiKey: ['DELETE', '/v1/api-keys/{id}'],
  rotateApiKey: ['POST', '/v1/api-keys/{id}/rotate'],
  listSessions: ['GET', '/v1/sessions'],
  createSession: ['POST', '/v1/sessions'],
  getSession: ['GET', '/v1/sessions/{sessionId}'],
  updateSession: ['PATCH', '/v1/sessions/{sessionId}'],
  deleteSession: ['DELETE', '/v1/sessions/{sessionId}'],
  connectSession: ['POST', '/v1/sessions/{sessionId}/connect'],
  disconnectSession: ['POST', '/v1/sessions/{sessionId}/disconnect'],
  logOutSession: ['POST', '/v1/sessions/{sessionId}/logout'],
  restartSession: ['POST', '/v1/sessions/{sessionId}/restart'],
  getQr: ['GET', '/v1/sessions/{sessionId}/qr'],
  requestPairingCode: ['POST', '/v1/sessions/{sessionId}/pairing-code'],
  getPasskeyStep: ['GET', '/v1/sessions/{sessionId}/passkey'],
  answerPasskey: ['POST', '/v1/sessions/{sessionId}/passkey'],
  confirmPasskey: ['POST', '/v1/sessions/{sessionId}/passkey/confirm'],
  getPasskeyCeremony: ['GET', '/passkey-ceremony/{token}'],
  answerPasskeyCeremony: ['POST', '/passkey-ceremony/{token}'],
  moveIn: ['POST', '/v1/sessions/{sessionId}/move-in'],
  checkMoveIn: ['POST', '/v1/sessions/{sessionId}/move-in/check'],
  getMoveIn: ['GET', '/v1/sessions/{sessionId}/move-in/{id}'],
  getQueue: ['GET', '/v1/sessions/{sessionId}/queue'],
  clearQueue: ['DELETE', '/v1/sessions/{sessionId}/queue'],
  getSessionHealth: ['GET', '/v1/sessions/{sessionId}/health'],
  validateNumbers: ['POST', '/v1/sessions/{sessionId}/validate'],
  sendMessage: ['POST', '/v1/sessions/{sessionId}/messages'],
  listMessages: ['GET', '/v1/sessions/{sessionId}/messages'],
  getMessage: ['GET', '/v1/sessions/{sessionId}/messages/{messageId}'],
  editMessage: ['PATCH', '/v1/sessions/{sessionId}/messages/{messageId}'],
  deleteMessage: ['DELETE', '/v1/sessions/{sessionId}/messages/{messageId}'],
  uploadMedia: ['POST', '/v1/media/upload'],
  listMedia: ['GET', '/v1/media'],
  getMedia: ['GET', '/v1/media/{key}'],
  deleteMedia: ['DELETE', '/v1/media/{key}'],
  getMessageMedia: ['GET', '/v1/sessions/{sessionId}/messages/{messageId}/media'],
  createUploadUrl: ['POST', '/v1/media/upload-url'],
  putUpload: ['PUT', '/v1/media/uploads/{token}'],
  sendMessages: ['POST', '/v1/sessions/{sessionId}/messages/bulk'],
  retryMessage: ['POST', '/v1/sessions/{sessionId}/messages/{messageId}/retry'],
  cancelMessage: ['POST', '/v1/sessions/{sessionId}/messages/{messageId}/cancel'],
  forwardMessage: ['POST', '/v1/sessions/{sessionId}/messages/{messageId}/forward'],
  sendAlbum: ['POST', '/v1/sessions/{sessionId}/messages/album'],
  createBlast: ['POST', '/v1/blasts'],
  listBlasts: ['GET', '/v1/blasts'],
  getBlast: ['GET', '/v1/blasts/{id}'],
  changeBlast: ['PATCH', '/v1/blasts/{id}'],
  deleteBlast: ['DELETE', '/v1/blasts/{id}'],
  addBlastRecipients: ['POST', '/v1/blasts/{id}/recipients'],
  listBlastRecipients: ['GET', '/v1/blasts/{id}/recipients'],
  getBlastReport: ['GET', '/v1/blasts/{id}/report'],
  previewBlast: ['POST', '/v1/blasts/preview'],
  resendBlast: ['POST', '/v1/blasts/{id}/resend'],
  startBlast: ['POST', '/v1/blasts/{id}/start'],
  pauseBlast: ['POST', '/v1/blasts/{id}/pause'],
  resumeBlast: ['POST', '/v1/blasts/{id}/resume'],
  cancelBlast: ['POST', '/v1/blasts/{id}/cancel'],
  scheduleMessage: ['POST', '/v1/sessions/{sessionId}/scheduled'],
  listScheduled: ['GET', '/v1/sessions/{sessionId}/scheduled'],
  getScheduled: ['GET', '/v1/sessions/{sessionId}/scheduled/{id}'],
  changeScheduled: ['PATCH', '/v1/sessions/{sessionId}/scheduled/{id}'],
  cancelScheduled: ['DELETE', '/v1/sessions/{sessionId}/scheduled/{id}'],
  createRecurring: ['POST', '/v1/sessions/{sessionId}/recurring'],
  listRecurring: ['GET', '/v1/sessions/{sessionId}/recurring'],
  getRecurring: ['GET', '/v1/sessions/{sessionId}/recurring/{id}'],
  changeRecurring: ['PATCH', '/v1/sessions/{sessionId}/recurring/{id}'],
  deleteRecurring: ['DELETE', '/v1/sessions/{sessionId}/recurring/{id}'],
  runRecurring: ['POST', '/v1/sessions/{sessionId}/recurring/{id}/run'],
  createRotator: ['POST', '/v1/rotators'],
  listRotators: ['GET', '/v1/rotators'],
  getRotator: ['GET', '/v1/rotators/{id}'],
  changeRotator: ['PATCH', '/v1/rotators/{id}'],
  deleteRotator: ['DELETE', '/v1/rotators/{id}'],
  sendOverRotator: ['POST', '/v1/rotators/{id}/messages'],
  reactToMessage: ['POST', '/v1/sessions/{sessionId}/messages/{messageId}/reaction'],
  getVotes: ['GET', '/v1/sessions/{sessionId}/messages/{messageId}/votes'],
  showPresence: ['POST', '/v1/sessions/{sessionId}/chats/{chatId}/presence'],
  getReceipts: ['GET', '/v1/sessions/{sessionId}/messages/{messageId}/receipts'],
  getCapabilities: ['GET', '/v1/sessions/{sessionId}/capabilities'],
  listGroups: ['GET', '/v1/sessions/{sessionId}/groups'],
  createGroup: ['POST', '/v1/sessions/{sessionId}/groups'],
  getGroup: ['GET', '/v1/sessions/{sessionId}/groups/{groupId}'],
  updateGroup: ['PATCH', '/v1/sessions/{sessionId}/groups/{groupId}'],
  leaveGroup: ['DELETE', '/v1/sessions/{sessionId}/groups/{groupId}'],
  changeGroupMembers: ['POST', '/v1/sessions/{sessionId}/groups/{groupId}/participants'],
  exportGroupMembers: ['GET', '/v1/sessions/{sessionId}/groups/{groupId}/participants.csv'],
  listGroupRequests: ['GET', '/v1/sessions/{sessionId}/groups/{groupId}/requests'],
  answerGroupRequests: ['POST', '/v1/sessions/{sessionId}/groups/{groupId}/requests'],
  getGroupInvite: ['GET', '/v1/sessions/{sessionId}/groups/{groupId}/invite'],
  revokeGroupInvite: ['DELETE', '/v1/sessions/{sessionId}/groups/{groupId}/invite'],
  previewGroup: ['GET', '/v1/sessions/{sessionId}/groups/invite/{code}'],
  joinGroup: ['POST', '/v1/sessions/{sessionId}/groups/join'],
  setGroupPicture: ['PUT', '/v1/sessions/{sessionId}/groups/{groupId}/picture'],
  removeGroupPicture: ['DELETE', '/v1/sessions/{sessionId}/groups/{groupId}/picture'],
  listCommunities: ['GET', '/v1/sessions/{sessionId}/communities'],
  createCommunity: ['POST', '/v1/sessions/{sessionId}/communities'],
  getCommunity: ['GET', '/v1/sessions/{sessionId}/communities/{communityId}'],
  updateCommunity: ['PATCH', '/v1/sessions/{sessionId}/communities/{communityId}'],
  endCommunity: ['DELETE', '/v1/sessions/{sessionId}/communities/{communityId}'],
  listCommunityGroups: ['GET', '/v1/sessions/{sessionId}/communities/{communityId}/groups'],
  addCommunityGroup: ['POST', '/v1/sessions/{sessionId}/communities/{communityId}/groups'],
  removeCommunityGroup: ['DELETE', '/v1/sessions/{sessionId}/communities/{communityId}/groups/{groupId}'],
  listCommunityParticipants: ['GET', '/v1/sessions/{sessionId}/communities/{communityId}/participants'],
  getNetworkAccount: ['GET', '/v1/sessions/{sessionId}/account'],
  updateNetworkAccount: ['PATCH', '/v1/sessions/{sessionId}/account'],
  setAccountPicture: ['PUT', '/v1/sessions/{sessionId}/account/picture'],
  removeAccountPicture: ['DELETE', '/v1/sessions/{sessionId}/account/picture'],
  getAccountPrivacy: ['GET', '/v1/sessions/{sessionId}/account/privacy'],
  updateAccountPrivacy: ['PATCH', '/v1/sessions/{sessionId}/account/privacy'],
  getPerson: ['GET', '/v1/sessions/{sessionId}/people/{phone}'],
  getCallRules: ['GET', '/v1/sessions/{sessionId}/calls'],
  updateCallRules: ['PATCH', '/v1/sessions/{sessionId}/calls'],
  listBlockedPeople: ['GET', '/v1/sessions/{sessionId}/blocklist'],
  blockPerson: ['POST', '/v1/sessions/{sessionId}/blocklist'],
  unblockPerson: ['DELETE', '/v1/sessions/{sessionId}/blocklist/{phone}'],
  getBusinessProfile: ['GET', '/v1/sessions/{sessionId}/business-profile'],
  updateBusinessProfile: ['PATCH', '/v1/sessions/{sessionId}/business-profile'],
  listProducts: ['GET', '/v1/sessions/{sessionId}/catalog'],
  listProductCollections: ['GET', '/v1/sessions/{sessionId}/catalog/collections'],
  createProduct: ['POST', '/v1/sessions/{sessionId}/catalog/products'],
  updateProduct: ['PATCH', '/v1/sessions/{sessionId}/catalog/products/{productId}'],
  deleteProduct: ['DELETE', '/v1/sessions/{sessionId}/catalog/products/{productId}'],
  listChatLabels: ['GET', '/v1/sessions/{sessionId}/labels'],
  createChatLabel: ['POST', '/v1/sessions/{sessionId}/labels'],
  updateChatLabel: ['PATCH', '/v1/sessions/{sessionId}/labels/{labelId}'],
  deleteChatLabel: ['DELETE', '/v1/sessions/{sessionId}/labels/{labelId}'],
  listLabelledChats: ['GET', '/v1/sessions/{sessionId}/labels/{labelId}/chats'],
  labelChat: ['PUT', '/v1/sessions/{sessionId}/labels/{labelId}/chats/{chatId}'],
  unlabelChat: ['DELETE', '/v1/sessions/{sessionId}/labels/{labelId}/chats/{chatId}'],
  listChannels: ['GET', '/v1/sessions/{sessionId}/channels'],
  createChannel: ['POST', '/v1/sessions/{sessionId}/channels'],
  getChannel: ['GET', '/v1/sessions/{sessionId}/channels/{channelId}'],
  updateChannel: ['PATCH', '/v1/sessions/{sessionId}/channels/{channelId}'],
  deleteChannel: ['DELETE', '/v1/sessions/{sessionId}/channels/{channelId}'],
  getChannelByInvite: ['GET', '/v1/sessions/{sessionId}/channels/invite/{code}'],
  followChannel: ['POST', '/v1/sessions/{sessionId}/channels/{channelId}/follow'],
  unfollowChannel: ['POST', '/v1/sessions/{sessionId}/channels/{channelId}/unfollow'],
  muteChannel: ['POST', '/v1/sessions/{sessionId}/channels/{channelId}/mute'],
  unmuteChannel: ['POST', '/v1/sessions/{sessionId}/channels/{channelId}/unmute'],
  listChannelMessages: ['GET', '/v1/sessions/{sessionId}/channels/{channelId}/messages'],
  listChannelFollowers: ['GET', '/v1/sessions/{sessionId}/channels/{channelId}/followers'],
  listStatuses: ['GET', '/v1/sessions/{sessionId}/status'],
  publishStatus: ['POST', '/v1/sessions/{sessionId}/status'],
  getStatus: ['GET', '/v1/sessions/{sessionId}/status/{statusId}'],
  deleteStatus: ['DELETE', '/v1/sessions/{sessionId}/status/{statusId}'],
  listInbox: ['GET', '/v1/inbox'],
  listChats: ['GET', '/v1/sessions/{sessionId}/chats'],
  getChat: ['GET', '/v1/sessions/{sessionId}/chats/{chatId}'],
  changeChat: ['PATCH', '/v1/sessions/{sessionId}/chats/{chatId}'],
  listChatMessages: ['GET', '/v1/sessions/{sessionId}/chats/{chatId}/messages'],
  assignChat: ['POST', '/v1/sessions/{sessionId}/chats/{chatId}/assign'],
  readChat: ['POST', '/v1/sessions/{sessionId}/chats/{chatId}/read'],
  loadOlderMessages: ['POST', '/v1/sessions/{sessionId}/chats/{chatId}/history'],
  listChatNotes: ['GET', '/v1/sessions/{sessionId}/chats/{chatId}/notes'],
  addChatNote: ['POST', '/v1/sessions/{sessionId}/chats/{chatId}/notes'],
  deleteChatNote: ['DELETE', '/v1/sessions/{sessionId}/chats/{chatId}/notes/{noteId}'],
  listContacts: ['GET', '/v1/contacts'],
  createContact: ['POST', '/v1/contacts'],
  getContact: ['GET', '/v1/contacts/{id}'],
  changeContact: ['PATCH', '/v1/contacts/{id}'],
  deleteContact: ['DELETE', '/v1/contacts/{id}'],
  splitContact: ['POST', '/v1/contacts/{id}/split'],
  changeContacts: ['POST', '/v1/contacts/bulk'],
  getContactsBulk: ['GET', '/v1/contacts/bulk/{id}'],
  exportContacts: ['GET', '/v1/contacts/export'],
  previewContactImport: ['POST', '/v1/contacts/import/preview'],
  importContacts: ['POST', '/v1/contacts/import'],
  getContactImport: ['GET', '/v1/contacts/imports/{id}'],
  listContactGroups: ['GET', '/v1/contact-groups'],
  createContactGroup: ['POST', '/v1/contact-groups'],
  changeContactGroup: ['PATCH', '/v1/contact-groups/{id}'],
  deleteContactGroup: ['DELETE', '/v1/contact-groups/{id}'],
  listTags: ['GET', '/v1/tags'],
  createTag: ['POST', '/v1/tags'],
  changeTag: ['PATCH', '/v1/tags/{id}'],
  deleteTag: ['DELETE', '/v1/tags/{id}'],
  listAttributes: ['GET', '/v1/attributes'],
  createAttribute: ['POST', '/v1/attributes'],
  changeAttribute: ['PATCH', '/v1/attributes/{id}'],
  deleteAttribute: ['DELETE', '/v1/attributes/{id}'],
  listSegments: ['GET', '/v1/segments'],
  createSegment: ['POST', '/v1/segments'],
  previewSegment: ['POST', '/v1/segments/preview'],
  getSegment: ['GET', '/v1/segments/{id}'],
  changeSegment: ['PATCH', '/v1/segments/{id}'],
  deleteSegment: ['DELETE', '/v1/segments/{id}'],
  listSegmentContacts: ['GET', '/v1/segments/{id}/contacts'],
  listTemplates: ['GET', '/v1/templates'],
  createTemplate: ['POST', '/v1/templates'],
  getTemplate: ['GET', '/v1/templates/{id}'],
  changeTemplate: ['PATCH', '/v1/templates/{id}'],
  deleteTemplate: ['DELETE', '/v1/templates/{id}'],
  previewTemplate: ['POST', '/v1/templates/{id}/preview'],
  syncTemplates: ['POST', '/v1/sessions/{sessionId}/templates/sync'],
  getOnboarding: ['GET', '/v1/onboarding'],
  listOnboardingPacks: ['GET', '/v1/onboarding/packs'],
  getOnboardingPack: ['GET', '/v1/onboarding/packs/{industry}'],
  applyOnboardingPack: ['POST', '/v1/onboarding/packs/{industry}/apply'],
  listConsent: ['GET', '/v1/consent'],
  getConsentConfig: ['GET', '/v1/consent/config'],
  putConsentConfig: ['PUT', '/v1/consent/config'],
  exportConsent: ['GET', '/v1/consent/export'],
  setConsents: ['POST', '/v1/consent/bulk'],
  getConsentHistory: ['GET', '/v1/consent/history/{phone}'],
  putConsent: ['PUT', '/v1/consent/{phone}'],
  listAutoReplies: ['GET', '/v1/sessions/{sessionId}/auto-reply'],
  createAutoReply: ['POST', '/v1/sessions/{sessionId}/auto-reply'],
  changeAutoReply: ['PATCH', '/v1/sessions/{sessionId}/auto-reply/{ruleId}'],
  deleteAutoReply: ['DELETE', '/v1/sessions/{sessionId}/auto-reply/{ruleId}'],
  getAiReply: ['GET', '/v1/ai-reply'],
  changeAiReply: ['PUT', '/v1/ai-reply'],
  askAi: ['POST', '/v1/ai-reply/ask'],
  listSavedAnswers: ['GET', '/v1/ai-reply/answers'],
  createSavedAnswer: ['POST', '/v1/ai-reply/answers'],
  changeSavedAnswer: ['PATCH', '/v1/ai-reply/answers/{id}'],
  deleteSavedAnswer: ['DELETE', '/v1/ai-reply/answers/{id}'],
  listUnanswered: ['GET', '/v1/ai-reply/unanswered'],
  answerUnanswered: ['POST', '/v1/ai-reply/unanswered/{id}/answer'],
  deleteUnanswered: ['DELETE', '/v1/ai-reply/unanswered/{id}'],
  suggestReply: ['POST', '/v1/sessions/{sessionId}/chats/{chatId}/suggest'],
  uploadDocument: ['POST', '/v1/ai-reply/documents'],
  listDocuments: ['GET', '/v1/ai-reply/documents'],
  addDocumentPage: ['POST', '/v1/ai-reply/documents/url'],
  getDocument: ['GET', '/v1/ai-reply/documents/{id}'],
  deleteDocument: ['DELETE', '/v1/ai-reply/documents/{id}'],
  parseDocument: ['POST', '/v1/ai-reply/documents/{id}/parse'],
  listWebhooks: ['GET', '/v1/webhooks'],
  createWebhook: ['POST', '/v1/webhooks'],
  getWebhook: ['GET', '/v1/webhooks/{id}'],
  updateWebhook: ['PATCH', '/v1/webhooks/{id}'],
  deleteWebhook: ['DELETE', '/v1/webhooks/{id}'],
  testWebhook: ['POST', '/v1/webhooks/{id}/test'],
  listDeliveries: ['GET', '/v1/webhooks/deliveries'],
  getDelivery: ['GET', '/v1/webhooks/deliveries/{id}'],
  redeliver: ['POST', '/v1/webhooks/deliveries/{id}/redeliver'],
  replayDeliveries: ['POST', '/v1/webhooks/deliveries/replay'],
  createEventsTicket: ['POST', '/v1/events-ticket'],
  openEventStream: ['GET', '/v1/events'],
  pullEvents: ['GET', '/v1/events/pull'],
  endEventReader: ['DELETE', '/v1/events/readers/{name}'],
  listStores: ['GET', '/v1/store-integrations'],
  connectStore: ['POST', '/v1/store-integrations'],
  changeStore: ['PUT', '/v1/store-integrations/{id}'],
  disconnectStore: ['DELETE', '/v1/store-integrations/{id}'],
  listStoreEvents: ['GET', '/v1/store-integrations/{id}/events'],
  testStore: ['POST', '/v1/store-integrations/{id}/test'],
  receiveStoreWebhook: ['POST', '/hooks/store/{token}'],
  verifyOfficialWebhook: ['GET', '/hooks/official/{token}'],
  receiveOfficialWebhook: ['POST', '/hooks/official/{token}'],
  getBilling: ['GET', '/v1/billing'],
  listPlans: ['GET', '/v1/billing/plans'],
  getBillingOptions: ['GET', '/v1/billing/options'],
  checkout: ['POST', '/v1/billing/checkout'],
  listInvoices: ['GET', '/v1/billing/invoices'],
  getInvoice: ['GET', '/v1/billing/invoices/{id}'],
  cancelPlan: ['POST', '/v1/billing/cancel'],
  resumePlan: ['POST', '/v1/billing/resume'],
  retryUnsent: ['POST', '/v1/billing/retry-unsent'],
  receivePaymentWebhook: ['POST', '/hooks/payments/{provider}'],
  returnFromPayment: ['GET', '/billing/return/{invoiceId}'],
  getAdminBilling: ['GET', '/v1/admin/billing'],
  markInvoiceRefunded: ['POST', '/v1/admin/billing/invoices/{id}/refunded'],
  getAdminPrices: ['GET', '/v1/admin/prices'],
  putAdminPrices: ['PUT', '/v1/admin/prices'],
  getPushKey: ['GET', '/v1/push/key'],
  subscribeBrowser: ['POST', '/v1/push/subscribe'],
  unsubscribeBrowser: ['DELETE', '/v1/push/subscribe'],
  testPush: ['POST', '/v1/push/test'],
  getProfile: ['GET', '/v1/profile'],
  putProfile: ['PUT', '/v1/profile'],
  getSettings: ['GET', '/v1/settings'],
  putSettings: ['PUT', '/v1/settings'],
  getUsage: ['GET', '/v1/usage'],
  getAttention: ['GET', '/v1/attention'],
  listTenants: ['GET', '/v1/admin/tenants'],
  getTenant: ['GET', '/v1/admin/tenants/{id}'],
  patchTenant: ['PATCH', '/v1/admin/tenants/{id}'],
  getTenantHealth: ['GET', '/v1/admin/tenants/{id}/health'],
  getSender: ['GET', '/v1/admin/sender'],
  connectSender: ['POST', '/v1/admin/sender/connect'],
  getSenderQr: ['GET', '/v1/admin/sender/qr'],
  listNodes: ['GET', '/v1/admin/nodes'],
  drainNode: ['POST', '/v1/admin/nodes/{nodeId}/drain'],
  undrainNode: ['POST', '/v1/admin/nodes/{nodeId}/undrain'],
  listAllSessions: ['GET', '/v1/admin/sessions'],
  moveSession: ['POST', '/v1/admin/sessions/{id}/move'],
  rebalance: ['POST', '/v1/admin/rebalance'],
  getNodeHealth: ['GET', '/v1/admin/health'],
  getNetwork: ['GET', '/v1/admin/network'],
  getUnknownSamples: ['GET', '/v1/admin/network/samples'],
  pinBuild: ['POST', '/v1/admin/network/build'],
  listIdentities: ['GET', '/v1/admin/identities'],
  getOperatorTwoFactor: ['GET', '/v1/admin/2fa'],
  disableOperatorTwoFactor: ['DELETE', '/v1/admin/2fa'],
  setUpOperatorTwoFactor: ['POST', '/v1/admin/2fa/setup'],
  enableOperatorTwoFactor: ['POST', '/v1/admin/2fa/enable'],
  verifyOperatorSecondFactor: ['POST', '/v1/admin/2fa/verify'],
  openConsole: ['GET', '/console'],
  getConsole: ['GET', '/console/{path}'],
  mcp: ['POST', '/mcp'],
  home: ['GET', '/'],
  health: ['GET', '/health'],
  ready: ['GET', '/ready'],
  openapi: ['GET', '/openapi.json'],
  docs: ['GET', '/docs'],
  guide: ['GET', '/docs/{page}'],
  reference: ['GET', '/docs/api'],
  llms: ['GET', '/llms.txt'],
  metrics: ['GET', '/metrics'],
};

/** Operations that take an `Idempotency-Key`. */
export const KEYED: ReadonlySet<keyof Operations> = new Set([
  'sendMessage',
  'sendMessages',
  'forwardMessage',
  'sendAlbum',
  'createBlast',
  'startBlast',
  'scheduleMessage',
  'createRecurring',
  'runRecurring',
  'createRotator',
  'sendOverRotator',
  'createGroup',
  'changeGroupMembers',
  'createChannel',
  'publishStatus',
]);

/** Operations that answer with the bytes of a file. */
export const FILES: ReadonlySet<keyof Operations> = new Set([
  'downloadExport',
  'getMessageMedia',
  'guide',
]);
