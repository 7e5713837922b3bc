/** The answers of the service that pages show, as version 1.2 of the API writes them. */

/** A namespace beside its own that an integration may use. */
export type Grant = 'admin' | 'service';

/** A client of the service, with its figures. */
export interface IntegrationView {
  id: string;
  name: string;
  grants: Grant[];
  plan: string;
  createdAt: string;
  signals: number;
  items: number;
  credentials: number;
  pointsToday: number;
  points7d: number;
  requestsToday: number;
  rejectedToday: number;
  /** Null: no program has used a credential yet. */
  lastSeenAt: string | null;
  /** Since when its credentials are refused. */
  disabledAt: string | null;
  /** What went wrong for it since the service was started. */
  errors: number;
  lastErrorAt: string | null;
}

/** How a credential proves itself. */
export type CredentialType = 'client-credentials' | 'basic-auth';

/** A credential, without its secret. */
export interface CredentialView {
  id: string;
  integration: string;
  type: CredentialType;
  label: string;
  createdAt: string;
  lastUsedAt: string | null;
  /** Where that use came from. */
  lastUsedFrom: { address: string; userAgent: string } | null;
  expiresAt: string | null;
}

/** What a program needs to sign in; given once. */
export interface CredentialsFile {
  apiUrl: string;
  integration: string;
  credentials: { type: CredentialType; clientId: string; clientSecret: string };
}

/** A new credential with its secret. */
export interface NewCredential {
  credential: CredentialView;
  file: CredentialsFile;
}

/** The describing fields that signals and items share. */
export interface Attributes {
  name: string;
  description: string;
  valueType: 'numeric' | 'enum';
  sourceType: 'measurement' | 'aggregation' | 'prediction';
  engUnit: string;
  sampleInterval: string | null;
  gapDetection: string | null;
  labels: Record<string, string[]>;
  enumValues: Record<string, string>;
}

/** What the service itself knows of a resource. */
export interface ResourceMeta {
  annotations: Record<string, string>;
  attributesHash: string;
  relationshipsHash: string;
  createdAt: string;
  updatedAt: string;
}

/** A signal as integrations write it. */
export interface SignalView {
  id: string;
  type: 'signals';
  meta: ResourceMeta;
  attributes: Attributes & { input: string };
  relationships: {
    integration: { data: { type: 'integrations'; id: string } | null };
    item: { data: { type: 'items'; id: string } | null };
  };
}

/** An item as readers see it. */
export interface ItemView {
  id: string;
  type: 'items';
  meta: ResourceMeta;
  attributes: Attributes & { visible: boolean };
  relationships: Record<string, never>;
}

/** A page of resources. */
export interface Selection<T> {
  meta: { total: number };
  data: T[];
  included?: ItemView[];
}

/** The newest point of a signal; null: it has none. */
export type SignalStatus = { lastTime: string; lastValue: number } | null;

/** How much there is of a signal. */
export interface SignalSize {
  points: number;
  /** On disk. */
  bytes: number;
}

/** How far apart the newest points of a signal are; durations as text, null where there are too few points. */
export interface SignalSpacing {
  points: number;
  from: string | null;
  to: string | null;
  median: string | null;
  least: string | null;
  most: string | null;
  /** Longer is a gap. */
  gap: string | null;
  gapCount: number;
  /** The newest first. */
  gaps: { from: string; to: string }[];
}

/** A view of the explorer that somebody has saved for all. */
export interface SavedView {
  id: string;
  name: string;
  /** The query of its address. */
  query: string;
  owner: { id: string; name: string | null };
}

/** How a signal and its item stand to each other. */
export interface PublishState {
  state: 'unpublished' | 'in-sync' | 'signal-changed' | 'item-edited';
  item: string | null;
  isItemEdited: boolean;
  /** Attributes in which the two differ now. */
  differs: string[];
}

/** What saving and publishing answer for each resource. */
export interface SaveSummary {
  id: string;
  created: boolean;
  updated: boolean;
}
