/** Folder of the bucket in which Lambda stores what a function failed to process. Lambda chose it. */
export const failuresPrefix = 'aws/lambda/';
