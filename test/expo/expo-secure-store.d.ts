/** What docs/expo.md uses of expo-secure-store 57.0.4 (build/SecureStore.d.ts of the package at npm). */
export type KeychainAccessibilityConstant = number
export declare const WHEN_UNLOCKED_THIS_DEVICE_ONLY: KeychainAccessibilityConstant
export interface SecureStoreOptions {
  keychainAccessible?: KeychainAccessibilityConstant
}
export declare function deleteItemAsync(key: string, options?: SecureStoreOptions): Promise<void>
export declare function getItemAsync(
  key: string,
  options?: SecureStoreOptions,
): Promise<string | null>
export declare function setItemAsync(
  key: string,
  value: string,
  options?: SecureStoreOptions,
): Promise<void>
