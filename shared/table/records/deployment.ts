/** Mark that the first account was created: the set-up code is used up. */
export interface FirstAccountData {
  readonly account: number;
}

/** Version of the data of a store. */
export interface DataVersionData {
  readonly version: number;
  /** The version to which a job brings the data; absent: none does. */
  readonly next?: number;
}

/** Random id of a store. */
export interface StoreIdentityData {
  readonly id: string;
}
