"""The permission check of an action: policy, then a person where the policy asks for one."""
